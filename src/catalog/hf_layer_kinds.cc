#include "catalog/hf_layer_kinds.h"

#include <algorithm>

#include "base/lists.h"
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

// Jamba: which layers attend, and which have experts. One of so many, from the offset on.
std::vector<bool> in_period(ConfigKeys& config, const char* period, const char* offset,
                            std::int64_t layers) {
  const std::int64_t every = std::max<std::int64_t>(1, config.required({period}, kCount));
  const std::int64_t first = config.first_of({offset}, kCountOrAbsent);
  std::vector<bool> found;
  for (std::int64_t i = 0; i < layers; ++i) found.push_back(i % every == first);
  return found;
}

std::vector<LayerKind> kinds_from_period(ConfigKeys& config, std::int64_t layers) {
  return mapped(in_period(config, "attn_layer_period", "attn_layer_offset", layers),
                [](bool attends) { return attends ? LayerKind::full : LayerKind::linear; });
}

// Bamba: the numbers, from 0, of the layers with attention.
std::vector<LayerKind> kinds_from_indices(ConfigKeys& config, std::int64_t layers) {
  const char* key = "attn_layer_indices";
  std::vector<LayerKind> kinds(as_size(layers), LayerKind::linear);
  const NumberRange range{0, static_cast<double>(layers - 1)};
  for (const double index : config.of(key).numbers(key, range)) {
    kinds[static_cast<std::size_t>(index)] = LayerKind::full;
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

// Gated MLPs have three matrices; plain ones two. GELU is gated in Gemma's family alone.
std::int64_t matrices_of(ConfigKeys& config, const ModelConfig& model) {
  const std::string activation =
      config.text({"hidden_act", "hidden_activation", "mlp_hidden_act", "activation_function"});
  if (activation.starts_with("relu")) return 2;
  for (const char* family : {"falcon", "RefinedWeb", "bloom"}) {
    if (model.model_type.starts_with(family) && model.model_type != "falcon_h1") return 2;
  }
  if (activation.starts_with("gelu")) return model.model_type.starts_with("gemma") ? 3 : 2;
  return 3;
}

// What a layer has, where the model is a mixture of experts.
enum class LayerMlp { none, dense, experts };

std::vector<LayerMlp> from_names(ConfigKeys& config, const char* key, std::int64_t layers) {
  std::vector<LayerMlp> kinds;
  for (const std::string& name : config.per_layer(key, layers)) {
    if (name == "sparse" || name == "moe") {
      kinds.push_back(LayerMlp::experts);
    } else if (name == "dense" || name == "mlp") {
      kinds.push_back(LayerMlp::dense);
    } else if (name == "attention" || name == "mamba") {
      kinds.push_back(LayerMlp::none);
    } else {
      config.error(key, "MLPs of kind \"" + name + "\" are not modelled",
                   "known: dense, sparse, moe, mlp");
      return {};
    }
  }
  return kinds;
}

std::vector<LayerMlp> from_letters(const std::string& letters) {
  return mapped(letters, [](const char letter) {
    return letter == 'E' ? LayerMlp::experts : letter == '-' ? LayerMlp::dense : LayerMlp::none;
  });
}

// The first layers may be dense; of the others every n-th has experts.
std::vector<LayerMlp> from_counts(ConfigKeys& config, const ModelConfig& model) {
  const auto step = [&](const char* key) {
    if (config.of(key).has_list(key)) return std::int64_t{1};
    return std::max<std::int64_t>(1, config.first_of({key}, kCountOrAbsent));
  };
  const std::int64_t frequency = step("moe_layer_freq");         // layers 0, n, 2n, ...
  const std::int64_t sparse_step = step("decoder_sparse_step");  // layers n-1, 2n-1, ...
  const std::int64_t interleave = step("interleave_moe_layer_step");
  std::vector<LayerMlp> kinds;
  for (std::int64_t i = 0; i < model.layers; ++i) {
    const bool experts = model.is_moe() && i >= model.first_dense_layers && i % frequency == 0 &&
                         (i + 1) % sparse_step == 0 && (i + 1) % interleave == 0;
    kinds.push_back(experts ? LayerMlp::experts : LayerMlp::dense);
  }
  if (config.has("mlp_only_layers")) {
    const NumberRange range{0, static_cast<double>(model.layers - 1)};
    for (const double i : config.of("mlp_only_layers").numbers("mlp_only_layers", range)) {
      kinds[static_cast<std::size_t>(i)] = LayerMlp::dense;
    }
  }
  return kinds;
}

std::vector<LayerMlp> kinds_of(ConfigKeys& config, const ModelConfig& model) {
  if (config.has("mlp_layer_types")) return from_names(config, "mlp_layer_types", model.layers);
  if (config.has("layers_block_type")) {
    return from_names(config, "layers_block_type", model.layers);
  }
  if (config.has("hybrid_override_pattern")) {
    return from_letters(config.text({"hybrid_override_pattern"}));
  }
  if (model.is_moe() && config.has("expert_layer_period")) {
    return mapped(in_period(config, "expert_layer_period", "expert_layer_offset", model.layers),
                  [](bool experts) { return experts ? LayerMlp::experts : LayerMlp::dense; });
  }
  if (model.is_moe() && config.of("moe_layer_freq").has_list("moe_layer_freq")) {
    return mapped(
        config.counts_per_layer("moe_layer_freq", model.layers),
        [](const std::int64_t n) { return n == 0 ? LayerMlp::dense : LayerMlp::experts; });
  }
  return from_counts(config, model);
}

std::int64_t shared_width(ConfigKeys& config, const ModelConfig& model) {
  if (const std::int64_t width =
          config.first_of({"shared_expert_intermediate_size", "moe_shared_expert_intermediate_size",
                           "shared_intermediate_size", "share_expert_dim"},
                          kWidthOrAbsent);
      width > 0) {
    return width;
  }
  const std::int64_t expert =
      model.moe_intermediate > 0 ? model.moe_intermediate : model.intermediate;
  if (const auto n = config.first_of({"n_shared_experts", "num_shared_experts"}, kCountOrAbsent);
      n > 0) {
    return n * expert;
  }
  if (model.model_type.starts_with("llama4")) return expert;
  // Gemma 4 runs a dense MLP beside the experts of each layer.
  return config.flag("enable_moe_block", false) ? model.intermediate : 0;
}

// DeciLM: each layer has an MLP of its own width, a multiple of 256.
std::vector<Mlp> mlps_from_blocks(ConfigKeys& config, const ModelConfig& model) {
  std::vector<Mlp> layers;
  for (SpecMap block : config.of("block_configs").maps("block_configs")) {
    SpecMap ffn = block.map("ffn");
    if (ffn.optional_flag("replace_with_linear").value_or(false)) {
      ffn.error("replace_with_linear", "MLPs replaced by a linear layer are not modelled");
    }
    Mlp mlp;
    if (!ffn.optional_flag("no_op").value_or(false)) {
      mlp.kind = MlpKind::dense;
      const double wanted =
          2 * ffn.number("ffn_mult", {0, 1000, true}) * static_cast<double>(model.hidden) / 3;
      mlp.width = (static_cast<std::int64_t>(wanted) + 255) / 256 * 256;
    }
    layers.push_back(mlp);
  }
  return layers;
}

}  // namespace

std::vector<LayerKind> layer_kinds(ConfigKeys& config, const ModelConfig& model) {
  const std::int64_t layers = model.layers;
  for (const char* key : {"layer_types", "layers_block_type"}) {
    if (!config.has(key)) continue;
    return mapped(config.per_layer(key, layers),
                  [&](const std::string& name) { return kind_named(config, key, name); });
  }
  if (config.has("hybrid_override_pattern")) return kinds_from_letters(config, layers);
  if (config.has("linear_attn_config")) return kinds_from_numbers(config, layers);
  if (config.has("attn_layer_period")) return kinds_from_period(config, layers);
  if (config.has("attn_layer_indices")) return kinds_from_indices(config, layers);
  if (config.has("hybrid_layer_pattern")) {
    return mapped(
        config.counts_per_layer("hybrid_layer_pattern", layers),
        [](const std::int64_t n) { return n == 0 ? LayerKind::full : LayerKind::window; });
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

std::vector<Mlp> mlp_by_layer(ConfigKeys& config, const ModelConfig& model) {
  if (config.has("block_configs")) return mlps_from_blocks(config, model);
  Mlp dense;
  dense.kind = MlpKind::dense;
  dense.matrices = matrices_of(config, model);
  dense.width =
      config.first_of({"dense_intermediate_size", "intermediate_size_mlp"}, kWidthOrAbsent);
  if (dense.width == 0) dense.width = model.intermediate;
  if (dense.width == 0) dense.width = 4 * model.hidden;

  Mlp experts;
  experts.kind = MlpKind::experts;
  experts.matrices = dense.matrices;
  experts.experts = model.experts;
  experts.experts_per_token = model.experts_per_token;
  experts.expert_width = model.moe_intermediate > 0 ? model.moe_intermediate : dense.width;
  if (model.moe_intermediate == 0 && model.intermediate > 0) {
    experts.expert_width = model.intermediate;
  }
  experts.expert_input =
      config.first_of({"routed_expert_hidden_size", "moe_latent_size"}, kWidthOrAbsent);
  if (model.is_moe()) experts.shared_width = shared_width(config, model);

  return mapped(kinds_of(config, model), [&](const LayerMlp kind) {
    return kind == LayerMlp::experts ? experts : kind == LayerMlp::dense ? dense : Mlp{};
  });
}

}  // namespace plimsoll
