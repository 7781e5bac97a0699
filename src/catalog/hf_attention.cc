#include <algorithm>
#include <iterator>
#include <string_view>

#include "base/lists.h"
#include "base/numbers.h"
#include "catalog/hf_layer_kinds.h"

namespace plimsoll {
namespace {

// Far beyond any linear attention; products of three stay within 63 bits.
constexpr IntRange kSmall{1, 100'000};

std::int64_t head_width(const ModelConfig& model) {
  return model.head_dim > 0 ? model.head_dim
                            : model.hidden / std::max<std::int64_t>(1, model.heads);
}

// Keys by which files say that layers attend in a way that no kind of ours describes.
constexpr const char* kUnknownKinds[]{
    "attn_type_list",          // MiniMax-01; 1 is full attention
    "compress_ratios",         // DeepSeek-V4
    "layer_group_size",        // Ling 2.5
    "cla_factor",              // Hunyuan: layers share keys and values
    "num_kv_shared_layers",    // Gemma 3n, the small Gemma 4: so do the last layers
    "hybrid_layer_ids",        // Zamba2: blocks of attention that several layers share
    "full_attn_idxs",          // LFM2: short convolutions in the other layers
    "block_types",             // RecurrentGemma: recurrent blocks in two of three layers
    "attention_window_size",   // RecurrentGemma
    "cross_attention_layers",  // Llama 3.2 Vision: layers that look at pictures alone
};

// Keys of states, which some layers must have; lists and rules of kinds say which.
constexpr const char* kStates[]{"mamba_d_state",   "mamba_d_ssm",    "mamba_n_heads",
                                "mamba_num_heads", "ssm_state_size", "linear_num_value_heads"};
constexpr const char* kListsOfKinds[]{"layer_types", "layers_block_type",
                                      "hybrid_override_pattern"};

void refuse(ConfigKeys& config, const char* key) {
  config.error(
      key, "attention of the kind that \"" + std::string(key) + "\" describes is not modelled",
      "known: full, sliding-window, latent (MLA) and linear attention, Mamba; without this key "
      "a copy of the file is read as one of them");
}

// Whether a key that is there says nothing: a list of full attention, no layers.
bool says_nothing(ConfigKeys& config, std::string_view key) {
  if (key == "attn_type_list") {
    return std::ranges::all_of(config.of("attn_type_list").numbers(key),
                               [](double type) { return type == 1; });
  }
  if (key == "cross_attention_layers") {
    return config.of("cross_attention_layers").numbers(key).empty();
  }
  return key == "num_kv_shared_layers" &&
         config.first_of({"num_kv_shared_layers"}, kCountOrAbsent) == 0;
}

bool refuse_unknown_kinds(ConfigKeys& config, const ModelConfig& model) {
  for (const char* key : kUnknownKinds) {
    if (!config.has(key) || says_nothing(config, key)) continue;
    refuse(config, key);
    return true;
  }
  // Zamba, too, shares its attention, and names the layers as Jamba does.
  if (config.has("attn_layer_period") && model.model_type.starts_with("zamba")) {
    refuse(config, "attn_layer_period");
    return true;
  }
  return false;
}

// Falcon-H1, Hymba: attention and Mamba side by side in one layer.
bool refuse_unused_states(ConfigKeys& config, const std::vector<LayerKind>& kinds) {
  const auto has = [&](const char* key) { return config.has(key); };
  if (std::ranges::find(kinds, LayerKind::linear) != kinds.end()) return false;
  if (std::ranges::any_of(kListsOfKinds, has)) return false;
  const auto* const key = std::ranges::find_if(kStates, has);
  if (key == std::end(kStates)) return false;
  refuse(config, *key);
  return true;
}

Attention latent_attention(ConfigKeys& config, const ModelConfig& model) {
  Attention a{.kind = AttentionKind::latent,
              .heads = model.heads,
              .kv_heads = 1,
              .kv_rank = model.kv_lora_rank,
              .rope_width = model.qk_rope_head_dim};
  a.query_rank = config.first_of({"q_lora_rank"}, kWidthOrAbsent);
  a.key_width = config.required({"qk_nope_head_dim"}, kWidth) + model.qk_rope_head_dim;
  a.value_width = config.required({"v_head_dim"}, kWidth);
  a.output_gate = config.flag("mla_use_output_gate", false);
  return a;
}

Attention full_attention(ConfigKeys& config, const ModelConfig& model) {
  if (model.kv_lora_rank > 0) return latent_attention(config, model);
  Attention a{.kind = AttentionKind::standard,
              .heads = model.heads,
              .kv_heads = model.kv_heads,
              .key_width = head_width(model)};
  if (const auto w = config.first_of({"attention_head_dim"}, kWidthOrAbsent); w > 0) {
    a.key_width = w;
  }
  a.value_width = config.first_of({"v_head_dim"}, kWidthOrAbsent);
  if (a.value_width == 0) a.value_width = a.key_width;
  a.output_gate = config.flag("attn_output_gate", model.model_type == "qwen3_next");
  a.norm_over_heads = config.text({"qk_norm_type"}) == "per_layer";
  return a;
}

Attention windowed_attention(ConfigKeys& config, const ModelConfig& model, Attention a) {
  const auto own = [&](const char* key, std::int64_t otherwise) {
    const std::int64_t value = config.first_of({key}, kWidthOrAbsent);
    return value > 0 ? value : otherwise;
  };
  a.window = model.model_type.starts_with("llama4")
                 ? config.required({"attention_chunk_size"}, kLength)
                 : config.required({"sliding_window"}, kLength);
  a.heads = own("swa_num_attention_heads", a.heads);
  a.kv_heads = own("swa_num_key_value_heads", a.kv_heads);
  a.key_width = own("swa_head_dim", a.key_width);
  a.value_width = own("swa_v_head_dim", a.value_width);
  return a;
}

// Gemma 4: layers without a window have heads of their own, whose keys may serve as values.
Attention global_attention(ConfigKeys& config, Attention a) {
  if (!config.has("global_head_dim")) return a;
  a.key_width = config.required({"global_head_dim"}, kWidth);
  a.value_width = a.key_width;
  if (const auto n = config.first_of({"num_global_key_value_heads"}, kCountOrAbsent); n > 0) {
    a.kv_heads = n;
  }
  a.keys_are_values = config.flag("attention_k_eq_v", false);
  return a;
}

void set_state_type(ConfigKeys& config, Attention* a) {
  const std::string type = config.text({"mamba_ssm_dtype", "mamba_ssm_cache_dtype"});
  a->state_bytes = type == "float32" ? 4 : 2;
}

// Gated delta net (Qwen3-Next, Qwen3.5): a matrix per value head.
Attention delta_net(ConfigKeys& config, const ModelConfig& model) {
  Attention a;
  a.kind = AttentionKind::linear;
  a.heads = config.required({"linear_num_value_heads"}, kSmall);
  const std::int64_t key_width = config.required({"linear_key_head_dim"}, kSmall);
  const std::int64_t keys = config.required({"linear_num_key_heads"}, kSmall) * key_width;
  const std::int64_t value_width = config.required({"linear_value_head_dim"}, kSmall);
  const std::int64_t kernel = config.required({"linear_conv_kernel_dim"}, kSmall);
  const std::int64_t values = a.heads * value_width;
  const std::int64_t convolved = 2 * keys + values;
  a.parameters = model.hidden * (2 * keys + 2 * values + 2 * a.heads) + convolved * kernel +
                 values * model.hidden;
  a.state_values = values * key_width;
  a.conv_values = convolved * (kernel - 1);
  return a;
}

// Kimi delta attention: as many keys as values, a gate per channel through a narrow pair.
Attention kimi_delta(ConfigKeys& config, const ModelConfig& model) {
  SpecMap linear = config.of("linear_attn_config").map("linear_attn_config");
  Attention a{.kind = AttentionKind::linear, .heads = linear.integer("num_heads", kSmall)};
  const std::int64_t width = linear.integer("head_dim", kSmall);
  const std::int64_t kernel = linear.integer("short_conv_kernel_size", kSmall);
  const std::int64_t channels = a.heads * width;
  const std::int64_t narrow_pair = (model.hidden + channels) * width;
  const bool full_gate = linear.optional_flag("use_full_rank_gate").value_or(false);
  a.parameters = 4 * model.hidden * channels + model.hidden * a.heads + narrow_pair +
                 (full_gate ? model.hidden * channels : narrow_pair) + 3 * channels * kernel;
  a.state_values = channels * width;
  a.conv_values = 3 * channels * (kernel - 1);
  return a;
}

// Mamba 2.
Attention mamba(ConfigKeys& config, const ModelConfig& model) {
  Attention a;
  a.kind = AttentionKind::linear;
  a.heads = config.required({"mamba_num_heads", "mamba_n_heads"}, kSmall);
  const std::int64_t inner = a.heads * config.required({"mamba_head_dim", "mamba_d_head"}, kSmall);
  const std::int64_t state = config.required({"ssm_state_size", "mamba_d_state"}, kSmall);
  const std::int64_t groups = config.required({"n_groups", "mamba_n_groups"}, kSmall);
  const std::int64_t kernel = config.required({"conv_kernel", "mamba_d_conv"}, kSmall);
  const std::int64_t convolved = inner + 2 * groups * state;
  a.parameters =
      model.hidden * (inner + convolved + a.heads) + convolved * kernel + inner * model.hidden;
  a.state_values = inner * state;
  a.conv_values = convolved * (kernel - 1);
  return a;
}

// Mamba 1 (Jamba): a state per channel, without heads; the step of each channel comes from a
// narrow vector ("time").
Attention mamba_1(ConfigKeys& config, const ModelConfig& model) {
  Attention a{.kind = AttentionKind::linear};
  const std::int64_t inner = model.hidden * config.required({"mamba_expand"}, kSmall);
  const std::int64_t state = config.required({"mamba_d_state"}, kSmall);
  const std::int64_t kernel = config.required({"mamba_d_conv"}, kSmall);
  const std::int64_t time = config.text({"mamba_dt_rank"}) == "auto"
                                ? (model.hidden + 15) / 16
                                : config.required({"mamba_dt_rank"}, kSmall);
  a.parameters = 3 * model.hidden * inner + inner * kernel + inner * (2 * time + 3 * state);
  a.state_values = inner * state;
  a.conv_values = inner * (kernel - 1);
  return a;
}

Attention linear_attention(ConfigKeys& config, const ModelConfig& model) {
  Attention a = config.has("linear_attn_config")       ? kimi_delta(config, model)
                : config.has("linear_num_value_heads") ? delta_net(config, model)
                : config.has("mamba_dt_rank")          ? mamba_1(config, model)
                                                       : mamba(config, model);
  set_state_type(config, &a);
  return a;
}

// Sparse attention by an index (DeepSeek 3.2, GLM 5; MiniMax-M3 by blocks): which layers compute
// it, which use that of a layer before them.
void add_index(ConfigKeys& config, std::vector<Attention>* layers) {
  const auto count = static_cast<std::int64_t>(layers->size());
  std::vector<bool> own(layers->size(), true);
  Attention index;
  if (config.has("index_topk")) {
    index.index_heads = config.required({"index_n_heads"}, kCount);
    index.index_width = config.required({"index_head_dim"}, kCount);
    index.selected = config.required({"index_topk"}, kCount);
    if (config.has("indexer_types")) {
      const auto types = config.per_layer("indexer_types", count);
      for (std::size_t i = 0; i < types.size(); ++i) own[i] = types[i] == "full";
    }
  } else if (config.has("sparse_attention_config")) {
    SpecMap sparse = config.of("sparse_attention_config").map("sparse_attention_config");
    index.index_heads = sparse.integer("sparse_num_index_heads", kCount);
    index.index_width = sparse.integer("sparse_index_dim", kCount);
    index.selected =
        sparse.integer("sparse_topk_blocks", kCount) * sparse.integer("sparse_block_size", kCount);
    const std::vector<double> used = sparse.numbers("sparse_attention_freq", {0, 1});
    for (std::size_t i = 0; i < own.size(); ++i) own[i] = i < used.size() && used[i] != 0;
  } else {
    return;
  }
  for (std::size_t i = 0; i < layers->size(); ++i) {
    Attention& a = (*layers)[i];
    if (config.has("index_topk")) a.selected = index.selected;
    if (!own[i]) continue;
    a.selected = index.selected;
    a.index_heads = index.index_heads;
    a.index_width = index.index_width;
  }
}

// DeciLM: layers without attention, or with groups of another size.
std::vector<Attention> from_blocks(ConfigKeys& config, const Attention& full) {
  std::vector<Attention> layers;
  for (SpecMap block : config.of("block_configs").maps("block_configs")) {
    SpecMap attention = block.map("attention");
    if (attention.optional_flag("replace_with_linear").value_or(false)) {
      attention.error("replace_with_linear",
                      "attention replaced by a linear layer is not modelled");
    }
    Attention a;
    if (!attention.optional_flag("no_op").value_or(false)) {
      a = full;
      a.kv_heads = std::max<std::int64_t>(
          1, full.heads /
                 std::max<std::int64_t>(1, attention.integer("n_heads_in_group", {1, full.heads})));
    }
    layers.push_back(a);
  }
  return layers;
}

}  // namespace

std::vector<Attention> attention_by_layer(ConfigKeys& config, const ModelConfig& model) {
  if (refuse_unknown_kinds(config, model)) return {};
  if (config.has("block_configs")) {
    std::vector<Attention> layers = from_blocks(config, full_attention(config, model));
    if (layers.size() == as_size(model.layers)) return layers;
    config.error("block_configs", "\"block_configs\" has " + std::to_string(layers.size()) +
                                      " values for " + std::to_string(model.layers) + " layers");
    return {};
  }
  const std::vector<LayerKind> kinds = layer_kinds(config, model);
  if (refuse_unused_states(config, kinds)) return {};
  const auto has = [&](LayerKind kind) { return contains(kinds, kind); };
  const Attention plain = full_attention(config, model);
  const Attention full = global_attention(config, plain);
  const Attention window =
      has(LayerKind::window) ? windowed_attention(config, model, plain) : Attention{};
  const Attention linear = has(LayerKind::linear) ? linear_attention(config, model) : Attention{};

  std::vector<Attention> layers = mapped(kinds, [&](const LayerKind kind) {
    return kind == LayerKind::full     ? full
           : kind == LayerKind::window ? window
           : kind == LayerKind::linear ? linear
                                       : Attention{};
  });
  if (config.has("num_attention_heads_per_layer")) {
    const auto heads = config.counts_per_layer("num_attention_heads_per_layer", model.layers);
    for (std::size_t i = 0; i < std::min(heads.size(), layers.size()); ++i) {
      if (layers[i].kind == AttentionKind::standard) layers[i].heads = heads[i];
    }
  }
  add_index(config, &layers);
  return layers;
}

}  // namespace plimsoll
