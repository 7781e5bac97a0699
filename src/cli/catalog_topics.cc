#include "cli/catalog_topics.h"

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
               {"tflops_fp8", true}},
              {}};
  for (const std::string& name : gpu_names()) {
    const auto gpu = find_gpu(name, SemanticsMode::vllm);
    if (!gpu) return tl::unexpected<Error>(gpu.error());
    table.rows.push_back({name, shortest(gpu->memory_gib), shortest(gpu->memory_bandwidth_tb_s),
                          shortest(gpu->tflops_bf16), shortest(gpu->tflops_fp8)});
  }
  return table;
}

}  // namespace plimsoll
