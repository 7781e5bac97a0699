#include "perf/draft_head.h"

#include <algorithm>
#include <cstdint>
#include <utility>

namespace plimsoll {
namespace {

constexpr std::int64_t kEagleVocabulary = 32'000;
constexpr std::int64_t kUsualMlpRatio = 4;

std::int64_t widest_dense(const ModelConfig& model) {
  std::int64_t width = 0;
  for (const LayerGroup& group : model.layers_by_kind) {
    if (group.layer.mlp.kind == MlpKind::dense) width = std::max(width, group.layer.mlp.width);
  }
  return width;
}

bool keeps_keys(const LayerGroup& group) {
  const AttentionKind kind = group.layer.attention.kind;
  return kind == AttentionKind::standard || kind == AttentionKind::latent;
}

}  // namespace

ModelConfig prediction_layer(const ModelConfig& model) {
  const auto& groups = model.layers_by_kind;
  const auto last = std::find_if(groups.rbegin(), groups.rend(), keeps_keys);
  LayerGroup group = last == groups.rend() ? groups.back() : *last;
  group.count = 1;
  ModelConfig layer = model;
  layer.layers = 1;
  layer.layers_by_kind = {std::move(group)};
  return layer;
}

ModelConfig eagle_head(const ModelConfig& model) {
  ModelConfig head = prediction_layer(model);
  const std::int64_t dense = widest_dense(model);
  Mlp mlp;
  mlp.kind = MlpKind::dense;
  mlp.width = dense > 0 ? dense : kUsualMlpRatio * model.hidden;
  head.layers_by_kind.front().layer.mlp = mlp;
  head.intermediate = mlp.width;
  head.experts = 0;
  head.experts_per_token = 0;
  head.first_dense_layers = 0;
  head.vocab = std::min(model.vocab, kEagleVocabulary);
  // It embeds tokens with the model's table, so that its output head is all that it stores.
  head.tie_word_embeddings = true;
  head.quantization = Quantization();
  head.quantization.kv_bytes = model.quantization.kv_bytes;
  return head;
}

}  // namespace plimsoll
