#include "perf/reference_memory.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "base/numbers.h"
#include "perf/architecture.h"
#include "perf/model_size.h"

namespace plimsoll {
namespace {

double head_width(const ModelConfig& model) {
  return model.head_dim > 0 ? as_double(model.head_dim) : as_double(model.hidden / model.heads);
}

double mlp_parameters_per_moe_layer(const ModelConfig& model) {
  const double hidden = as_double(model.hidden);
  const double experts = as_double(model.experts);
  const double expert_ffn =
      as_double(model.moe_intermediate > 0 ? model.moe_intermediate : model.intermediate);
  return 3 * hidden * expert_ffn * experts + 3 * hidden * shared_expert_width(model) +
         experts * hidden;
}

}  // namespace

double reference_weights_bytes(const ModelConfig& model) {
  const double hidden = as_double(model.hidden);
  const double vocab = as_double(model.vocab);
  const double layers = as_double(model.layers);
  const double kv_width =
      as_double(model.kv_heads > 0 ? model.kv_heads : model.heads) * head_width(model);

  const double embeddings = vocab * hidden * (model.tie_word_embeddings ? 1 : 2);
  const double attention = hidden * (hidden + 2 * kv_width) + hidden * hidden;
  const double norms = 2 * hidden;
  double mlp = layers * 3 * hidden * as_double(model.intermediate);
  if (model.is_moe()) {
    const double dense_layers = as_double(std::min(model.first_dense_layers, model.layers));
    const double dense_ffn = as_double(model.intermediate_size_mlp > 0 ? model.intermediate_size_mlp
                                                                       : model.intermediate);
    mlp = dense_layers * 3 * hidden * dense_ffn +
          (layers - dense_layers) * mlp_parameters_per_moe_layer(model);
  }
  const double parameters = embeddings + layers * (attention + norms) + hidden + mlp;
  return std::trunc(parameters *
                    (model.weight_bytes > 0 ? model.weight_bytes : model.compute_bytes));
}

Result<double> reference_kv_bytes(const ModelConfig& model, std::int64_t tp, KvBudget budget) {
  TRY(architecture, architecture_of(model));
  const double layers = architecture.layers;
  if (model.kv_lora_rank > 0) {
    // Latent attention keeps one compressed vector per token, on every GPU.
    return layers * as_double(model.kv_lora_rank + model.qk_rope_head_dim) * model.compute_bytes;
  }
  const auto kv_heads = static_cast<std::int64_t>(architecture.kv_heads);
  if (kv_heads >= tp && kv_heads % tp != 0) {
    return fail(ErrorKind::usage,
                fmt::format("TP {} does not divide the {} KV heads of {}", tp, kv_heads, model.id));
  }
  if (model.head_dim == 0 && model.hidden % model.heads != 0) {
    return fail(ErrorKind::usage,
                fmt::format("the {} attention heads of {} do not divide its width {}", model.heads,
                            model.id, model.hidden));
  }
  double heads_per_gpu = architecture.kv_heads / as_double(tp);
  if (budget == KvBudget::per_gpu) heads_per_gpu = std::max(heads_per_gpu, 1.0);
  return layers * 2 * head_width(model) * heads_per_gpu * model.compute_bytes;
}

}  // namespace plimsoll
