#include "cli/catalog_topics.h"

#include <fmt/format.h>

#include "base/lists.h"
#include "base/text.h"
#include "catalog/catalog.h"
#include "catalog/link.h"
#include "catalog/price.h"
#include "catalog/speculation_preset.h"
#include "perf/model_size.h"
#include "perf/parallelism.h"
#include "setup/gpu_price.h"

namespace plimsoll {

namespace {

// What sets a model apart: "dense" or "moe", then latent attention (mla), layers that differ in
// kind (hybrid), quantised weights.
std::string kind_of(const ModelConfig& model) {
  bool latent = false;
  bool limited = false;
  for (const LayerGroup& group : model.layers_by_kind) {
    const Attention& attention = group.layer.attention;
    latent |= attention.kind == AttentionKind::latent;
    limited |= attention.kind == AttentionKind::linear || attention.window > 0;
  }
  std::string kind = model.is_moe() ? "moe" : "dense";
  if (latent) kind += "+mla";
  if (limited) kind += "+hybrid";
  if (stored_weight_bytes(model) < 1.9 * count_parameters(model).total) kind += "+quant";
  return kind;
}

Table rows_of(const std::vector<Price>& prices) {
  Table table{{{"gpu"},
               {"usd_per_gpu_hour", true},
               {"commitment"},
               {"vendor"},
               {"region"},
               {"instance"},
               {"gpus", true},
               {"date"},
               {"kind"},
               {"remarks"},
               {"source", false, true}},
              {}};
  for (const Price& price : prices) {
    table.rows.push_back({price.gpu, fmt::format("{:.4f}", price.usd_per_gpu_hour()),
                          price.commitment, price.vendor, price.region, price.instance,
                          std::to_string(price.gpus), price.date, price.kind,
                          join(remarks_on(price), "; "), price.source});
  }
  return table;
}

}  // namespace

Result<Table> link_table() {
  Table table{{{"name"}, {"gb_per_s", true}, {"help"}, {"source", false, true}}, {}};
  TRY(links, read_links());
  for (const LinkRate& link : links) {
    table.rows.push_back({link.name, shortest(link.gb_per_s), link.help, link.source});
  }
  return table;
}

Result<Table> speculation_preset_table() {
  Table table{
      {{"name"}, {"acceptance_lengths"}, {"scheme"}, {"model"}, {"help"}, {"source", false, true}},
      {}};
  TRY(presets, read_speculation_presets());
  for (const SpeculationPreset& preset : presets) {
    table.rows.push_back({preset.name, join(mapped(preset.acceptance_lengths, shortest), ","),
                          name_of(draft_schemes(), preset.scheme), preset.model, preset.help,
                          preset.source});
  }
  return table;
}

Result<Table> model_table() {
  Table table{{{"model"},
               {"kind"},
               {"params_b", true},
               {"active_b", true},
               {"weights_gib", true},
               {"kv_kib_per_token", true},
               {"default_gpu"},
               {"default_tp", true},
               {"max_model_len", true}},
              {}};
  constexpr double kGiB = 1024.0 * 1024 * 1024;
  for (const std::string& name : model_names()) {
    TRY(model, find_model(name));
    const ParameterCount count = count_parameters(model.config);
    table.rows.push_back(
        {name, kind_of(model.config), fmt::format("{:.2f}", count.total / 1e9),
         fmt::format("{:.2f}", count.active / 1e9),
         fmt::format("{:.1f}", stored_weight_bytes(model.config) / kGiB),
         fmt::format("{:.1f}", kv_layers_of(model.config, 1).bytes_of_new_token() / 1024),
         model.default_gpu, std::to_string(model.default_tp),
         std::to_string(model.config.max_model_len)});
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
               {"pcie_gb_s", true},
               {"gpus_per_node", true},
               {"link_gpus", true},
               {"network_gb_s", true},
               {"tdp_w", true}},
              {}};
  for (const std::string& name : gpu_names()) {
    TRY(gpu, find_gpu(name, SemanticsMode::vllm));
    table.rows.push_back({name, shortest(gpu.memory_gib), shortest(gpu.memory_bandwidth_tb_s),
                          shortest(gpu.tflops_bf16), shortest(gpu.tflops_fp8),
                          shortest(gpu.tflops_fp4), shortest(gpu.tops_int8),
                          shortest(gpu.link_gb_s), shortest(gpu.pcie_gb_s),
                          std::to_string(gpu.gpus_per_node), std::to_string(gpu.link_gpus),
                          shortest(network_gb_s(gpu)), shortest(gpu.tdp_w)});
  }
  return table;
}

Result<Table> price_table() {
  TRY(prices, read_prices());
  return rows_of(prices);
}

Result<Table> price_table_of(const std::string& file) {
  TRY(prices, PriceBook::read({}, {}, file));
  return rows_of(prices.own());
}

}  // namespace plimsoll
