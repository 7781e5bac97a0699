#include "catalog/served_as.h"

#include <algorithm>

#include "catalog/weight_formats.h"

namespace plimsoll {
namespace {

// Most 4-bit checkpoints have a scale for 128 weights.
constexpr WeightFormat kInt4 = integer_weights(4, 128);

// The narrowest part says what a checkpoint is called.
double narrowest(const Quantization& q) {
  double bytes = q.attention.bytes;
  for (const WeightFormat& part : {q.dense_mlp, q.experts, q.shared_experts}) {
    bytes = std::min(bytes, part.bytes);
  }
  return bytes;
}

Quantization all_in(const WeightFormat& format, double kv_bytes) {
  return {format, format, format, format, format, kv_bytes};
}

}  // namespace

ModelConfig served_as(ModelConfig model, std::string_view weights) {
  Quantization& q = model.quantization;
  const bool four_bits = weights == "nvfp4" || weights == "mxfp4" || weights == "int4";
  const bool eight_bits = weights == "fp8" || weights == "fp8-block";
  const double configured = narrowest(q);
  if (four_bits && configured >= 1) {
    const WeightFormat format = weights == "nvfp4" ? kNvfp4 : weights == "mxfp4" ? kMxfp4 : kInt4;
    q = all_in(format, weights == "nvfp4" ? 1 : q.kv_bytes);
    q.attention = {};
    q.linear_attention = {};
  }
  if (eight_bits && configured == 2) {
    q = all_in(weights == "fp8" ? kFp8 : kFp8Blocks, q.kv_bytes);
  }
  return model;
}

ModelConfig with_kv_cache(ModelConfig model, std::string_view cache) {
  if (!cache.empty()) model.quantization.kv_bytes = cache == "fp8" ? 1 : 2;
  return model;
}

}  // namespace plimsoll
