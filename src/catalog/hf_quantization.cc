#include "catalog/hf_layer_kinds.h"

#include <algorithm>
#include <map>
#include <optional>

#include "base/text.h"
#include "catalog/served_as.h"

namespace plimsoll {
namespace {

enum class Part { attention, linear_attention, dense_mlp, experts, shared_experts };

// The part that a module's name (or pattern of names) stands for as a whole: not its norms, routers
// or gates. One matrix speaks for a part whose matrices are listed one by one.
std::optional<Part> part_named(std::string name) {
  for (const char c : {'\\', '*', '$', '^'}) {
    name.erase(std::remove(name.begin(), name.end(), c), name.end());
  }
  for (const char* other : {"vision", "visual", "mtp", "projector", "norm"}) {
    if (name.find(other) != std::string::npos) return std::nullopt;
  }
  const auto rest_after = [&](const char* token) -> std::optional<std::string> {
    const std::size_t at = name.find(token);
    if (at == std::string::npos) return std::nullopt;
    std::string rest = name.substr(at + std::string(token).size());
    while (!rest.empty() && (rest[0] == '.' || rest[0] == 's')) rest.erase(0, 1);
    while (!rest.empty() && rest.back() == '.') rest.pop_back();
    return rest;
  };
  const auto is_gate_matrix = [](const std::string& rest) {
    return rest.starts_with("gate_proj") || rest.starts_with("(gate");
  };
  if (const auto rest = rest_after("shared_expert")) {
    return rest->empty() || is_gate_matrix(*rest) ? std::optional(Part::shared_experts)
                                                  : std::nullopt;
  }
  if (const auto rest = rest_after("linear_attn")) {
    return rest->empty() || *rest == "out_proj" ? std::optional(Part::linear_attention)
                                                : std::nullopt;
  }
  for (const char* token : {"self_attn", ".attn"}) {
    if (const auto rest = rest_after(token)) {
      return rest->empty() || *rest == "o_proj" ? std::optional(Part::attention) : std::nullopt;
    }
  }
  for (const char* token : {"mlp", "ffn"}) {
    if (const auto rest = rest_after(token)) {
      if (rest->starts_with("expert")) return Part::experts;
      return rest->empty() || is_gate_matrix(*rest) ? std::optional(Part::dense_mlp) : std::nullopt;
    }
  }
  return std::nullopt;
}

bool names_one_layer(const std::string& name) {
  const std::size_t at = name.find("layers.");
  return at != std::string::npos && at + 7 < name.size() && name[at + 7] >= '0' &&
         name[at + 7] <= '9';
}

std::int64_t layers_with(const ModelConfig& model, Part part) {
  std::int64_t count = 0;
  for (const LayerGroup& group : model.layers_by_kind) {
    const Attention& a = group.layer.attention;
    const Mlp& mlp = group.layer.mlp;
    const bool has = part == Part::attention
                         ? a.kind == AttentionKind::standard || a.kind == AttentionKind::latent
                     : part == Part::linear_attention ? a.kind == AttentionKind::linear
                     : part == Part::dense_mlp        ? mlp.kind == MlpKind::dense
                     : part == Part::experts          ? mlp.kind == MlpKind::experts
                                                      : mlp.shared_width > 0;
    if (has) count += group.count;
  }
  return count;
}

WeightFormat& format_of(Quantization* q, Part part) {
  switch (part) {
    case Part::attention:
      return q->attention;
    case Part::linear_attention:
      return q->linear_attention;
    case Part::dense_mlp:
      return q->dense_mlp;
    case Part::experts:
      return q->experts;
    case Part::shared_experts:
      return q->shared_experts;
  }
  return q->experts;
}

Quantization all_in(const WeightFormat& format) {
  return {format, format, format, format, format, 2};
}

// Parts that at least half of their layers keep as they were.
void leave_out(const std::vector<std::string>& names, const ModelConfig& model, Quantization* q) {
  std::map<Part, std::int64_t> layers;
  for (const std::string& name : names) {
    auto part = part_named(name);
    if (!part) continue;
    // Where every layer has experts, what its file calls the MLP is what every token visits.
    if (*part == Part::dense_mlp && layers_with(model, Part::dense_mlp) == 0) {
      part = Part::shared_experts;
    }
    layers[*part] += names_one_layer(name) ? 1 : model.layers;
  }
  for (const auto& [part, count] : layers) {
    if (2 * count >= layers_with(model, part)) format_of(q, part) = WeightFormat{};
  }
}

std::optional<WeightFormat> algorithm_format(const std::string& algorithm) {
  if (algorithm == "FP8") return kFp8;
  if (algorithm == "FP8_PB_WO") return kFp8Blocks;
  if (algorithm == "NVFP4") return kNvfp4;
  if (algorithm == "W4A16_NVFP4") return kNvfp4Weights;
  if (algorithm == "W4A16_AWQ") return integer_weights(4, 128);
  return std::nullopt;
}

struct Group {
  std::int64_t bits = 0;
  std::int64_t activation_bits = 16;
  double size = 0;  ///< weights that share a scale
  bool is_float = false;
};

// compressed-tensors: the first group (by name) that states the width of its weights.
std::optional<Group> first_group(SpecMap quantization) {
  auto groups = quantization.optional_map("config_groups");
  if (!groups) return std::nullopt;
  std::vector<std::string> names = groups->keys();
  std::sort(names.begin(), names.end());
  for (const std::string& name : names) {
    if (!groups->has_map(name)) continue;
    SpecMap map = groups->map(name);
    if (!map.has_map("weights")) continue;
    SpecMap weights = map.map("weights");
    Group group;
    group.bits = weights.optional_integer("num_bits", {1, 64}).value_or(0);
    if (group.bits == 0) continue;
    group.size = weights.optional_number("group_size").value_or(0);
    group.is_float = weights.optional_text("type").value_or("") == "float";
    if (map.has_map("input_activations")) {
      SpecMap activations = map.map("input_activations");
      group.activation_bits = activations.optional_integer("num_bits", {1, 64}).value_or(16);
    }
    return group;
  }
  return std::nullopt;
}

WeightFormat group_format(const Group& group) {
  if (group.bits == 4 && group.is_float && group.size == 32) return kMxfp4;
  if (group.bits == 4 && group.is_float) {
    return group.activation_bits == 4 ? kNvfp4 : kNvfp4Weights;
  }
  if (group.bits == 8 && group.is_float) return kFp8;
  if (group.bits == 8 && group.activation_bits == 8) return {1, MatrixFormat::int8};
  return integer_weights(static_cast<double>(group.bits), group.size);
}

// `bits` as a number or as numeric text.
std::optional<double> bits_of(SpecMap quantization) {
  if (!quantization.has("bits")) return std::nullopt;
  double bits = 0;
  const auto text = quantization.optional_text("bits");
  if (!text || !parse_double(*text, &bits) || bits <= 0 || bits > 64) {
    quantization.error("bits", "\"bits\" must be a number of bits per weight");
    return std::nullopt;
  }
  return bits;
}

std::optional<WeightFormat> method_format(SpecMap quantization, const std::string& method) {
  if (method == "fbgemm_fp8") return kFp8;
  if (method == "fp8") return quantization.has_list("weight_block_size") ? kFp8Blocks : kFp8;
  if (method == "mxfp4") return kMxfp4;
  if (const auto bits = bits_of(quantization)) {
    return integer_weights(*bits, quantization.optional_number("group_size").value_or(0));
  }
  if (const auto algorithm = quantization.optional_text("quant_algo")) {
    if (const auto format = algorithm_format(*algorithm)) return format;
  }
  if (const auto group = first_group(quantization)) return group_format(*group);
  if (quantization.optional_flag("load_in_4bit").value_or(false)) return integer_weights(4, 64);
  if (quantization.optional_flag("load_in_8bit").value_or(false)) return integer_weights(8, 0);
  return std::nullopt;
}

bool is_delimiter(char c) { return c == '.' || c == '-' || c == '_' || c == '/'; }

std::vector<std::string> words_of(const std::string& id) {
  std::vector<std::string> words(1);
  for (const char c : to_lower(id)) {
    if (is_delimiter(c)) {
      words.emplace_back();
    } else {
      words.back() += c;
    }
  }
  return words;
}

struct WidthWord {
  long long weight_bits = 0;
  long long activation_bits = 0;
};

// "w4a16": so many bits per weight and per activation.
std::optional<WidthWord> width_word(const std::string& word) {
  const std::size_t a = word.find('a');
  WidthWord out;
  if (word.size() < 4 || word[0] != 'w' || a == std::string::npos ||
      !parse_int(word.substr(1, a - 1), &out.weight_bits) ||
      !parse_int(word.substr(a + 1), &out.activation_bits) || out.weight_bits <= 0 ||
      out.weight_bits > 64) {
    return std::nullopt;
  }
  return out;
}

Quantization from_name(const std::string& id, const ModelConfig& model) {
  Quantization q;
  for (const std::string& word : words_of(id)) {
    if (const auto width = width_word(word)) {
      if (width->weight_bits == 8 && width->activation_bits == 8) {
        return all_in({1, MatrixFormat::int8});
      }
      return all_in(integer_weights(static_cast<double>(width->weight_bits), 128));
    }
    if (word == "fp8") q = all_in(kFp8);
    if (word == "nvfp4" || word == "mxfp4") {
      q = all_in(word == "nvfp4" ? kNvfp4 : kMxfp4);
      keep_attention_wide(model, word, &q);
    }
  }
  return q;
}

// Mixed precision: the parts that are listed, each with its algorithm; the rest stays 16-bit.
Quantization from_layer_list(SpecMap layers) {
  Quantization q;
  for (const std::string& name : layers.keys()) {
    const auto part = part_named(name);
    if (!part || !layers.has_map(name)) continue;
    const std::string algorithm = layers.map(name).optional_text("quant_algo").value_or("");
    if (const auto format = algorithm_format(algorithm)) format_of(&q, *part) = *format;
  }
  return q;
}

// GPTQ: patterns of modules that stay as they were begin with "-:". That of Qwen3.5 means both
// kinds of attention.
std::vector<std::string> patterns_left_out(SpecMap quantization) {
  std::vector<std::string> patterns;
  if (!quantization.has_map("dynamic")) return patterns;
  for (const std::string& key : quantization.map("dynamic").keys()) {
    if (!key.starts_with("-:")) continue;
    patterns.push_back(key.substr(2));
    if (patterns.back() == ".*attn.*") patterns.emplace_back("linear_attn");
  }
  return patterns;
}

double kv_bytes_of(SpecMap quantization) {
  if (quantization.has_map("kv_cache_scheme")) {
    const auto bits =
        quantization.map("kv_cache_scheme").optional_integer("num_bits", {1, 64}).value_or(16);
    return bits == 8 ? 1 : 2;
  }
  for (const char* key : {"kv_cache_scheme", "kv_cache_quant_algo"}) {
    if (quantization.optional_text(key).value_or("") == "FP8") return 1;
  }
  return 2;
}

}  // namespace

Quantization quantization_of(ConfigKeys& config, const ModelConfig& model) {
  SpecMap& holder = config.of("quantization_config");
  auto given = holder.optional_map("quantization_config");
  if (!given) return from_name(model.id, model);
  Quantization q;
  const std::string method = given->optional_text("quant_method").value_or("");
  if (given->has_map("quantized_layers") &&
      given->optional_text("quant_algo").value_or("") == "MIXED_PRECISION" && method != "fp8") {
    q = from_layer_list(given->map("quantized_layers"));
  } else if (const auto format = method_format(*given, method)) {
    q = all_in(*format);
    for (const char* key : {"ignore", "modules_to_not_convert"}) {
      if (given->has_list(key)) leave_out(given->texts(key), model, &q);
    }
    leave_out(patterns_left_out(*given), model, &q);
  } else {
    q = from_name(model.id, model);
    if (q == Quantization{} && !method.empty()) {
      holder.error("quantization_config", "unknown quantisation method \"" + method + "\"",
                   "add \"bits\" (stored bits per weight) to \"quantization_config\"");
    }
  }
  // Kimi's files call linear attention by the same name as the other.
  if (model.model_type.starts_with("kimi")) q.linear_attention = q.attention;
  q.kv_bytes = kv_bytes_of(*given);
  return q;
}

double reference_weight_bytes(ConfigKeys& config, const std::string& id, double compute_bytes) {
  if (auto given = config.of("quantization_config").optional_map("quantization_config")) {
    if (const auto bits = bits_of(*given)) return *bits / 8;
    const std::string method = given->optional_text("quant_method").value_or("");
    if (method == "fp8") return 1;
    if (method == "mxfp4") return kMxfp4.bytes;
    if (method == "compressed-tensors") {
      if (const auto group = first_group(*given)) return static_cast<double>(group->bits) / 8;
    }
  }
  std::optional<double> fp8;
  for (const std::string& word : words_of(id)) {
    if (const auto width = width_word(word)) return static_cast<double>(width->weight_bits) / 8;
    if (word == "fp8") fp8 = 1;
  }
  return fp8.value_or(compute_bytes);
}

}  // namespace plimsoll
