#include "perf/activations.h"

#include <algorithm>

#include "base/numbers.h"

namespace plimsoll {
namespace {

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

}  // namespace

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

}  // namespace plimsoll
