#include "catalog/hf_layer_kinds.h"

#include "base/numbers.h"

namespace plimsoll {
namespace {

LayerKind kind_named(ConfigKeys& config, const char* key, const std::string& name) {
  for (const char* full : {"full_attention", "attention", "deepseek_sparse_attention"}) {
    if (name == full) return LayerKind::full;
  }
  if (name == "sliding_attention" || name == "chunked_attention") return LayerKind::window;
  if (name == "linear_attention" || name == "mamba") return LayerKind::linear;
  if (name == "moe" || name == "mlp") return LayerKind::other;
  config.error(key, "layers of kind \"" + name + "\" are not modelled",
               "known: full_attention, sliding_attention, chunked_attention, linear_attention, "
               "mamba, attention, moe, mlp");
  return LayerKind::full;
}

// Nemotron-H: one letter per layer, each with attention, Mamba or an MLP alone.
std::vector<LayerKind> kinds_from_letters(ConfigKeys& config, std::int64_t layers) {
  const char* key = "hybrid_override_pattern";
  const std::string letters = config.text({key});
  std::vector<LayerKind> kinds;
  for (const char letter : letters) {
    if (letter == '*') kinds.push_back(LayerKind::full);
    if (letter == 'M') kinds.push_back(LayerKind::linear);
    if (letter == 'E' || letter == '-') kinds.push_back(LayerKind::other);
  }
  if (kinds.size() == letters.size() && kinds.size() == as_size(layers)) return kinds;
  config.error(key, "\"hybrid_override_pattern\" must have one of M, *, E and - for each of the " +
                        std::to_string(layers) + " layers");
  return {};
}

// Kimi Linear: the numbers, from 1, of the layers with full attention.
std::vector<LayerKind> kinds_from_numbers(ConfigKeys& config, std::int64_t layers) {
  std::vector<LayerKind> kinds(as_size(layers), LayerKind::linear);
  SpecMap linear = config.of("linear_attn_config").map("linear_attn_config");
  const NumberRange range{1, static_cast<double>(layers)};
  for (const double number : linear.numbers("full_attn_layers", range)) {
    kinds[as_size(static_cast<std::int64_t>(number)) - 1] = LayerKind::full;
  }
  return kinds;
}

// Every n-th layer is full, the others are of another kind.
std::vector<LayerKind> every_nth_full(std::int64_t layers, std::int64_t n, LayerKind others) {
  std::vector<LayerKind> kinds(as_size(layers), others);
  for (std::int64_t i = n - 1; i < layers; i += n) kinds[as_size(i)] = LayerKind::full;
  return kinds;
}

// Layers that have a window although no list or pattern says which: all, or those from
// `max_window_layers` on. A window as long as the longest request is none.
std::vector<LayerKind> kinds_without_list(ConfigKeys& config, const ModelConfig& model) {
  std::vector<LayerKind> kinds(as_size(model.layers), LayerKind::full);
  const std::int64_t window = config.first_of({"sliding_window"}, kLength);
  if (window == 0 || !config.flag("use_sliding_window", true)) return kinds;
  if (model.max_position_embeddings > 0 && window >= model.max_position_embeddings) return kinds;
  std::int64_t first = 0;
  if (config.has("use_sliding_window")) {
    first = config.first_of({"max_window_layers"}, kCountOrAbsent);
  }
  for (std::int64_t i = first; i < model.layers; ++i) kinds[as_size(i)] = LayerKind::window;
  return kinds;
}

}  // namespace

std::vector<LayerKind> layer_kinds(ConfigKeys& config, const ModelConfig& model) {
  const std::int64_t layers = model.layers;
  for (const char* key : {"layer_types", "layers_block_type"}) {
    if (!config.has(key)) continue;
    std::vector<LayerKind> kinds;
    for (const std::string& name : config.per_layer(key, layers)) {
      kinds.push_back(kind_named(config, key, name));
    }
    return kinds;
  }
  if (config.has("hybrid_override_pattern")) return kinds_from_letters(config, layers);
  if (config.has("linear_attn_config")) return kinds_from_numbers(config, layers);
  if (config.has("hybrid_layer_pattern")) {
    std::vector<LayerKind> kinds;
    for (const std::int64_t n : config.counts_per_layer("hybrid_layer_pattern", layers)) {
      kinds.push_back(n == 0 ? LayerKind::full : LayerKind::window);
    }
    return kinds;
  }
  if (const auto n = config.first_of({"full_attention_interval"}, kCountOrAbsent); n > 0) {
    return every_nth_full(layers, n, LayerKind::linear);
  }
  if (const auto n = config.first_of({"sliding_window_pattern"}, kCountOrAbsent); n > 0) {
    return every_nth_full(layers, n, LayerKind::window);
  }
  // Gemma 2 alternates; Llama 4 looks back without limit in every fourth layer.
  if (model.model_type == "gemma2") return every_nth_full(layers, 2, LayerKind::window);
  if (config.first_of({"attention_chunk_size"}, kLength) > 0 &&
      model.model_type.starts_with("llama4")) {
    return every_nth_full(layers, 4, LayerKind::window);
  }
  return kinds_without_list(config, model);
}

}  // namespace plimsoll
