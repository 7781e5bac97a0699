#include "perf/loaded_weights.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "base/numbers.h"
#include "perf/architecture.h"
#include "perf/model_size.h"

namespace plimsoll {
namespace {

constexpr double kBiasesOfExperts = 1.0013;  // 16-bit ones beside 4-bit weights, as gpt-oss has
constexpr double kPaddedInput = 256;
constexpr double kPaddedWidth = 128;
constexpr double kPaddedWidthOnHopper = 64;

double rounded_up(double value, double multiple) { return std::ceil(value / multiple) * multiple; }

// Loaded over stored bytes of the routed experts.
double padding_of_experts(const Mlp& mlp, double hidden, const ModelConfig& model,
                          const Parallelism& parallelism, double multiple) {
  if (model.quantization.experts.math != MatrixFormat::mxfp4) return 1;
  const double input = mlp.expert_input > 0 ? as_double(mlp.expert_input) : hidden;
  const double slices = as_double(parallelism.tp * parallelism.dp) / as_double(parallelism.ep);
  const double slice = as_double(mlp.expert_width) / slices;
  return kBiasesOfExperts * rounded_up(input, kPaddedInput) / input * rounded_up(slice, multiple) /
         slice;
}

double expert_bytes(const ModelConfig& model, const Parallelism& parallelism, double multiple) {
  const double hidden = as_double(model.hidden);
  double bytes = 0;
  for (const LayerGroup& group : model.layers_by_kind) {
    const Mlp& mlp = group.layer.mlp;
    if (mlp.kind != MlpKind::experts) continue;
    bytes += as_double(group.count * mlp.experts) * expert_parameters(mlp, hidden) *
             model.quantization.experts.bytes *
             padding_of_experts(mlp, hidden, model, parallelism, multiple);
  }
  return bytes;
}

// Of one layer, what each GPU beyond the first has again.
double copied_bytes(const Layer& layer, double hidden, double tp, const Quantization& q) {
  const double norms = 2 * hidden * kUnquantised;
  const double router =
      layer.mlp.kind == MlpKind::experts ? hidden * as_double(layer.mlp.experts) * kUnquantised : 0;
  return (tp - 1) * (norms + router) +
         copied_attention_parameters(layer.attention, hidden, tp) * q.attention.bytes;
}

constexpr double kBytesPerValue = 2;
constexpr double kBytesPerSortedLogit = 38.3;
constexpr double kBytesPerLogit = 15;
// VLLM_FUSED_MOE_CHUNK_SIZE: more tokens than that pass through the experts in portions.
constexpr double kExpertChunk = 16'384;

double dense_values(const Mlp& mlp, double tokens, const Parallelism& parallelism) {
  return tokens * as_double(mlp.matrices) * as_double(mlp.width) / as_double(parallelism.tp);
}

// The tokens of all ranks come together. For each expert of each token there is room for its
// products, used again for its output, and for their activated product.
double expert_values(const Mlp& mlp, double hidden, double tokens, const Parallelism& parallelism) {
  const double ranks = as_double(parallelism.dp);
  const double slices = as_double(parallelism.tp) * ranks / as_double(parallelism.ep);
  const double width = as_double(mlp.expert_width) / slices;
  const double output = mlp.expert_input > 0 ? as_double(mlp.expert_input) : hidden;
  const double products = std::max(as_double(mlp.matrices - 1) * width, output);
  return std::min(tokens * ranks, kExpertChunk) * as_double(mlp.experts_per_token) *
         (products + width);
}

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

double loaded_weight_bytes(const ModelConfig& model, const Parallelism& parallelism,
                           const GpuSpec& gpu, Mxfp4Kernels kernels) {
  const bool hopper = kernels == Mxfp4Kernels::native && gpu.kernels == "hopper";
  const double multiple = hopper ? kPaddedWidthOnHopper : kPaddedWidth;
  double bytes = stored_weight_bytes(model) - stored_expert_bytes(model);
  for (const LayerGroup& group : model.layers_by_kind) {
    bytes += as_double(group.count) * copied_bytes(group.layer, as_double(model.hidden),
                                                   as_double(parallelism.tp), model.quantization);
  }
  return bytes + expert_bytes(model, parallelism, multiple) / as_double(parallelism.dp);
}

double activation_bytes(const ModelConfig& model, const Parallelism& parallelism,
                        std::int64_t tokens, std::int64_t requests, LogitSampler sampler) {
  const double hidden_values = as_double(tokens) * as_double(model.hidden);
  double mlp_values = 0;
  for (const LayerGroup& group : model.layers_by_kind) {
    const Mlp& mlp = group.layer.mlp;
    mlp_values = std::max(mlp_values, mlp.kind == MlpKind::experts
                                          ? expert_values(mlp, as_double(model.hidden),
                                                          as_double(tokens), parallelism)
                                          : dense_values(mlp, as_double(tokens), parallelism));
  }
  const double layer_bytes = kBytesPerValue * (hidden_values + mlp_values);
  const double logits = as_double(std::min(requests, tokens)) * as_double(model.vocab);
  const double sampler_bytes =
      logits * (sampler == LogitSampler::sorts ? kBytesPerSortedLogit : kBytesPerLogit);
  return kBytesPerValue * hidden_values + std::max(layer_bytes, sampler_bytes);
}

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
