#include "catalog/served_as.h"

#include <algorithm>

namespace plimsoll {
namespace {

// Most 4-bit checkpoints have a scale for 128 weights.
constexpr WeightFormat kInt4 = integer_weights(4, 128);

// What a checkpoint is called by.
WeightFormat narrowest_part(const Quantization& q) {
  return std::min({q.attention, q.dense_mlp, q.experts, q.shared_experts},
                  [](const WeightFormat& a, const WeightFormat& b) { return a.bytes < b.bytes; });
}
double narrowest(const Quantization& q) { return narrowest_part(q).bytes; }

bool is_four_bits(std::string_view weights) {
  return weights == "nvfp4" || weights == "mxfp4" || weights == "int4";
}

bool is_eight_bits(std::string_view weights) { return weights == "fp8" || weights == "fp8-block"; }

bool has_linear_attention(const ModelConfig& model) {
  return std::ranges::any_of(model.layers_by_kind, [](const LayerGroup& group) {
    return group.layer.attention.kind == AttentionKind::linear;
  });
}

Quantization all_served_in(const WeightFormat& format, double kv_bytes) {
  return {format, format, format, format, format, kv_bytes};
}

}  // namespace

void keep_attention_wide(const ModelConfig& model, std::string_view weights, Quantization* q) {
  const bool is_plain = !model.is_moe() && model.layers_by_kind.size() == 1;
  if (weights == "int4" ? !has_linear_attention(model) : is_plain) return;
  q->attention = {};
  q->linear_attention = {};
  if (weights == "int4") q->shared_experts = {};
}

ModelConfig served_as(ModelConfig model, std::string_view weights) {
  Quantization& q = model.quantization;
  const WeightFormat configured = narrowest_part(q);
  const WeightFormat format = weights == "nvfp4" ? kNvfp4 : weights == "mxfp4" ? kMxfp4 : kInt4;
  if (is_four_bits(weights) && (configured.bytes >= 1 || configured.math != format.math)) {
    q = all_served_in(format, weights == "nvfp4" ? 1 : q.kv_bytes);
    keep_attention_wide(model, weights, &q);
  }
  if (is_eight_bits(weights) && configured.bytes == 2) {
    q = all_served_in(weights == "fp8" ? kFp8 : kFp8Blocks, q.kv_bytes);
  }
  return model;
}

const std::vector<std::string>& quantization_names() {
  static const std::vector<std::string> names{
      std::string(kAsStored), "fp8", "fp8-block", "nvfp4", "mxfp4", "int4"};
  return names;
}

std::string empty_if_stored(std::string_view quantization) {
  return quantization == kAsStored ? "" : std::string(quantization);
}

bool is_narrower(const ModelConfig& model, std::string_view weights) {
  return is_eight_bits(weights) && narrowest(model.quantization) < 1;
}

bool is_quantized(const ModelConfig& model) { return narrowest(model.quantization) < 2; }

ModelConfig with_kv_cache(ModelConfig model, std::string_view cache) {
  if (!cache.empty()) model.quantization.kv_bytes = cache == "fp8" ? 1 : 2;
  return model;
}

}  // namespace plimsoll
