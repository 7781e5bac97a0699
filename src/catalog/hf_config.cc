#include "catalog/hf_config.h"

#include <algorithm>
#include <filesystem>
#include <optional>
#include <vector>

#include "base/file.h"
#include "base/text.h"

namespace plimsoll {
namespace {

// Far beyond any model, and small enough that no product of them leaves the range of a double.
constexpr IntRange kCount{1, 1'000'000};
constexpr IntRange kCountOrAbsent{0, 1'000'000};
constexpr IntRange kWidth{1, 100'000'000};
constexpr IntRange kWidthOrAbsent{0, 100'000'000};
constexpr IntRange kLength{0, 1'000'000'000'000};

// A model's language part may stand under `text_config` (or `llm_config`); what it says overrides
// the top level.
class ConfigKeys {
 public:
  explicit ConfigKeys(SpecMap top) {
    top.accept_foreign_keys();
    maps_ = {top};
    for (const char* key : {"text_config", "llm_config"}) {
      if (top.has_map(key)) maps_.insert(maps_.begin(), *top.optional_map(key));
    }
  }

  /// The map that speaks for this key.
  SpecMap& of(const char* key) {
    for (SpecMap& map : maps_) {
      if (map.has(key)) return map;
    }
    return maps_.front();
  }

  /// The first of the names that is present and not zero; 0 if there is none.
  std::int64_t first_of(std::initializer_list<const char*> keys, IntRange range) {
    for (const char* key : keys) {
      if (const auto value = of(key).optional_integer(key, range); value.value_or(0) != 0) {
        return *value;
      }
    }
    return 0;
  }

 private:
  std::vector<SpecMap> maps_;
};

// Bytes per parameter of the compute dtype.
double dtype_bytes(ConfigKeys& config) {
  const char* key = config.of("torch_dtype").has("torch_dtype") ? "torch_dtype" : "dtype";
  if (!config.of(key).has(key)) {
    config.of(key).error("", "the file names no data type", "add \"torch_dtype\": \"bfloat16\"");
    return 0;
  }
  const std::string name = config.of(key).text(key);
  if (name == "float32") return 4;
  if (name == "float16" || name == "bfloat16") return 2;
  const std::vector<std::string> one_byte{"int8", "uint8", "fp8", "int4", "nf4"};
  if (std::find(one_byte.begin(), one_byte.end(), name) != one_byte.end()) return 1;
  config.of(key).error(key, "unknown data type \"" + name + "\"",
                       "known: float32, float16, bfloat16, int8, uint8, fp8, int4, nf4");
  return 0;
}

bool is_delimiter(char c) { return c == '.' || c == '-' || c == '_' || c == '/'; }

// Stored bytes per weight as told by a name: the parts "fp8" or "wXaY" (X bits per weight).
std::optional<double> width_from_name(const std::string& id) {
  std::optional<double> fp8;
  std::string part;
  for (const char c : to_lower(id) + "/") {
    if (!is_delimiter(c)) {
      part += c;
      continue;
    }
    const std::size_t a = part.find('a');
    long long weight_bits = 0;
    long long activation_bits = 0;
    if (part.size() >= 4 && part[0] == 'w' && a != std::string::npos &&
        parse_int(part.substr(1, a - 1), &weight_bits) &&
        parse_int(part.substr(a + 1), &activation_bits) && weight_bits > 0 && weight_bits <= 64) {
      return static_cast<double>(weight_bits) / 8;
    }
    if (part == "fp8") fp8 = 1;
    part.clear();
  }
  return fp8;
}

// `bits` as a number or as numeric text.
std::optional<double> bits_to_bytes(SpecMap quantization) {
  if (!quantization.has("bits")) return std::nullopt;
  double bits = 0;
  const auto text = quantization.optional_text("bits");
  if (!text || !parse_double(*text, &bits) || bits <= 0 || bits > 64) {
    quantization.error("bits", "\"bits\" must be a number of bits per weight");
    return std::nullopt;
  }
  return bits / 8;
}

// compressed-tensors: the weights' width in the first group (by name) that states one.
std::optional<double> group_width(SpecMap quantization) {
  auto groups = quantization.optional_map("config_groups");
  if (!groups) return std::nullopt;
  std::vector<std::string> names = groups->keys();
  std::sort(names.begin(), names.end());
  for (const std::string& name : names) {
    if (!groups->has_map(name)) continue;
    SpecMap group = groups->map(name);
    if (!group.has_map("weights")) continue;
    if (const auto bits = group.map("weights").optional_integer("num_bits", {1, 64})) {
      return static_cast<double>(*bits) / 8;
    }
  }
  return std::nullopt;
}

// Stored bytes per weight; the compute width when nothing says the model is quantised.
double weight_bytes(ConfigKeys& config, const std::string& id, double compute_bytes) {
  SpecMap& holder = config.of("quantization_config");
  auto quantization = holder.optional_map("quantization_config");
  std::string method;
  if (quantization) {
    if (const auto bytes = bits_to_bytes(*quantization)) return *bytes;
    method = quantization->optional_text("quant_method").value_or("");
    if (method == "fp8") return 1;
    if (method == "compressed-tensors") {
      if (const auto bytes = group_width(*quantization)) return *bytes;
    }
    // OCP microscaling: 4-bit values, one 8-bit scale for 32 of them.
    if (method == "mxfp4") return 4.25 / 8;
  }
  if (const auto bytes = width_from_name(id)) return *bytes;
  if (!method.empty()) {
    holder.error("quantization_config", "unknown quantisation method \"" + method + "\"",
                 "add \"bits\" (stored bits per weight) to \"quantization_config\"");
  }
  return compute_bytes;
}

// max_position_embeddings, stretched by the rope scaling as vLLM does it.
std::int64_t derived_max_model_len(ConfigKeys& config, const ModelConfig& model) {
  constexpr double kLongest = 1e12;
  const std::int64_t base = model.max_position_embeddings;
  auto rope = config.of("rope_scaling").optional_map("rope_scaling");
  if (!rope || model.model_type.find("gemma3") != std::string::npos) return base;
  const std::string type =
      rope->optional_text(rope->has("rope_type") ? "rope_type" : "type").value_or("");
  if (type == "su" || type == "longrope" || type == "llama3") return base;
  const double factor = rope->optional_number("factor", kNonNegative).value_or(1);
  if (factor <= 1) return base;
  std::int64_t stretched = base;
  if (type == "yarn") {
    stretched = rope->optional_integer("original_max_position_embeddings", kLength).value_or(base);
  }
  return static_cast<std::int64_t>(std::min(kLongest, static_cast<double>(stretched) * factor));
}

void read_moe(ConfigKeys& config, ModelConfig* model) {
  for (const char* key : {"num_experts", "moe_num_experts", "n_routed_experts", "num_local_experts",
                          "num_routed_experts"}) {
    const auto experts = config.of(key).optional_integer(key, kCountOrAbsent);
    if (experts.value_or(0) < 2) continue;  // one expert is a dense model
    model->experts = *experts;
    break;
  }
  model->experts_per_token = config.first_of({"num_experts_per_tok"}, kCountOrAbsent);
  model->moe_intermediate = config.first_of({"moe_intermediate_size"}, kWidthOrAbsent);
  model->shared_expert_intermediate =
      config.first_of({"shared_expert_intermediate_size"}, kWidthOrAbsent);
  model->shared_experts = config.first_of({"n_shared_experts"}, kCountOrAbsent);
  model->first_dense_layers = config.first_of({"first_k_dense_replace"}, kCountOrAbsent);
  model->interleave_moe_layer_step = config.first_of({"interleave_moe_layer_step"}, kCountOrAbsent);
  model->intermediate_size_mlp = config.first_of({"intermediate_size_mlp"}, kWidthOrAbsent);
}

// Layers that keep a fixed state instead of a KV cache, or differ in size, would be priced wrongly,
// so such models are refused rather than mistaken for plain transformers.
void refuse_hybrids(ConfigKeys& config) {
  const auto refuse = [&](const char* key) {
    config.of(key).error(
        key, "models whose layers differ in kind are not modelled",
        "linear-attention, state-space and pruned layers have no KV cache of common size");
  };
  for (const char* key : {"hybrid_override_pattern", "layers_block_type", "linear_attn_config",
                          "full_attention_interval", "block_configs"}) {
    if (config.of(key).has(key)) return refuse(key);
  }
  const char* kinds_key = "layer_types";
  if (!config.of(kinds_key).has(kinds_key)) return;
  for (const std::string& kind : config.of(kinds_key).texts(kinds_key)) {
    if (kind.find("linear") != std::string::npos || kind.find("mamba") != std::string::npos) {
      return refuse(kinds_key);
    }
  }
}

}  // namespace

ModelConfig model_config_from(SpecMap top, const std::string& id) {
  ConfigKeys config(top);
  const auto required = [&](const char* key, IntRange range) {
    return config.of(key).integer(key, range);
  };
  ModelConfig model;
  model.id = to_lower(id);
  model.model_type = config.of("model_type").optional_text("model_type").value_or("");
  model.layers = required("num_hidden_layers", kCount);
  model.hidden = required("hidden_size", kWidth);
  model.heads = required("num_attention_heads", kCount);
  model.vocab = required("vocab_size", kWidth);
  model.kv_heads = config.first_of({"num_key_value_heads", "num_kv_heads", "multi_query_group_num"},
                                   kCountOrAbsent);
  if (model.kv_heads == 0) model.kv_heads = model.heads;
  model.head_dim = config.first_of({"head_dim"}, kWidthOrAbsent);
  model.intermediate = config.first_of({"intermediate_size", "ffn_hidden_size"}, kWidthOrAbsent);
  model.tie_word_embeddings =
      config.of("tie_word_embeddings").optional_flag("tie_word_embeddings").value_or(false);
  model.hidden_act = config.of("hidden_act").optional_text("hidden_act").value_or("");
  model.kv_lora_rank = config.first_of({"kv_lora_rank"}, kWidthOrAbsent);
  model.qk_rope_head_dim = config.first_of({"qk_rope_head_dim"}, kWidthOrAbsent);
  read_moe(config, &model);
  refuse_hybrids(config);
  model.compute_bytes = dtype_bytes(config);
  model.weight_bytes = weight_bytes(config, id, model.compute_bytes);
  model.max_position_embeddings = config.first_of({"max_position_embeddings"}, kLength);
  model.max_model_len = derived_max_model_len(config, model);
  return model;
}

Result<ModelConfig> parse_model_config(const std::string& text, std::string file,
                                       const std::string& id) {
  auto spec = SpecFile::parse(text, std::move(file));
  if (!spec) return pass_on(spec);
  return spec->finish(model_config_from(spec->top(), id));
}

Result<ModelConfig> read_model_config(const std::string& path, std::string id) {
  namespace fs = std::filesystem;
  fs::path file(path);
  std::error_code ignored;
  if (fs::is_directory(file, ignored)) {
    file /= "config.json";
    if (!fs::exists(file, ignored)) {
      return fail(ErrorKind::io, Diagnostic{path,
                                            0,
                                            0,
                                            "this folder holds no config.json",
                                            "give the folder of a model, or its config.json",
                                            {}});
    }
  }
  if (id.empty()) {
    const fs::path folder = fs::absolute(file, ignored).lexically_normal().parent_path();
    id = folder.filename().string();
  }
  auto text = read_file(file.string());
  if (!text) return pass_on(text);
  return parse_model_config(*text, file.string(), id);
}

}  // namespace plimsoll
