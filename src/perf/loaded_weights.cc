#include "perf/loaded_weights.h"

#include <algorithm>
#include <cmath>

#include "base/numbers.h"
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

}  // namespace plimsoll
