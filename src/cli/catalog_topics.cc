#include "cli/catalog_topics.h"

#include <fmt/format.h>

#include "base/text.h"
#include "catalog/catalog.h"

namespace plimsoll {

Result<Table> model_table() {
  Table table{{{"model"}, {"default_gpu"}, {"default_tp", true}, {"max_model_len", true}}, {}};
  for (const std::string& name : model_names()) {
    const auto model = find_model(name);
    if (!model) return tl::unexpected<Error>(model.error());
    table.rows.push_back({name, model->default_gpu, std::to_string(model->default_tp),
                          std::to_string(model->config.max_model_len)});
  }
  return table;
}

Result<Table> gpu_table() {
  Table table{{{"gpu"},
               {"memory_gib", true},
               {"bandwidth_tb_s", true},
               {"tflops_bf16", true},
               {"tflops_fp8", true},
               {"tflops_fp4", true},
               {"tops_int8", true},
               {"link_gb_s", true},
               {"tdp_w", true}},
              {}};
  for (const std::string& name : gpu_names()) {
    const auto gpu = find_gpu(name, SemanticsMode::vllm);
    if (!gpu) return tl::unexpected<Error>(gpu.error());
    table.rows.push_back({name, shortest(gpu->memory_gib), shortest(gpu->memory_bandwidth_tb_s),
                          shortest(gpu->tflops_bf16), shortest(gpu->tflops_fp8),
                          shortest(gpu->tflops_fp4), shortest(gpu->tops_int8),
                          shortest(gpu->link_gb_s), shortest(gpu->tdp_w)});
  }
  return table;
}

Result<Table> price_table() {
  Table table{{{"gpu"},
               {"usd_per_gpu_hour", true},
               {"commitment"},
               {"vendor"},
               {"region"},
               {"instance"},
               {"gpus", true},
               {"date"}},
              {}};
  const auto prices = read_prices();
  if (!prices) return tl::unexpected<Error>(prices.error());
  for (const Price& price : *prices) {
    table.rows.push_back({price.gpu, fmt::format("{:.4f}", price.usd_per_gpu_hour()),
                          price.commitment, price.vendor, price.region, price.instance,
                          std::to_string(price.gpus), price.date});
  }
  return table;
}

}  // namespace plimsoll
