#include "catalog/hf_config.h"

#include <algorithm>
#include <filesystem>
#include <iterator>

#include "base/file.h"
#include "base/lists.h"
#include "base/text.h"
#include "catalog/config_keys.h"
#include "catalog/hf_layer_kinds.h"

namespace plimsoll {
namespace {

// Bytes per parameter of the compute dtype; 0 where the file names none.
double dtype_bytes(ConfigKeys& config) {
  const char* key = config.of("torch_dtype").has("torch_dtype") ? "torch_dtype" : "dtype";
  if (!config.has(key)) return 0;
  const std::string name = config.of(key).text(key);
  if (name == "float32") return 4;
  if (name == "float16" || name == "bfloat16") return 2;
  const std::vector<std::string> one_byte{"int8", "uint8", "fp8", "int4", "nf4"};
  if (contains(one_byte, name)) return 1;
  config.of(key).error(key, "unknown data type \"" + name + "\"",
                       "known: float32, float16, bfloat16, int8, uint8, fp8, int4, nf4");
  return 0;
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
  model->experts_per_token = config.first_of(
      {"num_experts_per_tok", "num_experts_per_token", "top_k_experts"}, kCountOrAbsent);
  model->moe_intermediate = config.first_of({"moe_intermediate_size"}, kWidthOrAbsent);
  model->shared_expert_intermediate =
      config.first_of({"shared_expert_intermediate_size"}, kWidthOrAbsent);
  model->shared_experts = config.first_of({"n_shared_experts"}, kCountOrAbsent);
  model->first_dense_layers = config.first_of({"first_k_dense_replace"}, kCountOrAbsent);
  model->interleave_moe_layer_step = config.first_of({"interleave_moe_layer_step"}, kCountOrAbsent);
  model->intermediate_size_mlp = config.first_of({"intermediate_size_mlp"}, kWidthOrAbsent);
}

// Layers that are alike, counted together.
std::vector<LayerGroup> layers_by_kind(const std::vector<Attention>& attention,
                                       const std::vector<Mlp>& mlps) {
  std::vector<LayerGroup> groups;
  for (std::size_t i = 0; i < std::min(attention.size(), mlps.size()); ++i) {
    const Layer layer{attention[i], mlps[i]};
    const auto same = std::find_if(groups.begin(), groups.end(),
                                   [&](const LayerGroup& g) { return g.layer == layer; });
    if (same == groups.end()) {
      groups.push_back({1, layer});
    } else {
      same->count += 1;
    }
  }
  return groups;
}

bool is_falcon(const ModelConfig& model) {
  return model.model_type == "falcon" || model.model_type.starts_with("RefinedWeb");
}

// Families whose files leave it out, because it is their library's default.
bool is_tied_by_default(const ModelConfig& model) {
  for (const char* family : {"gemma", "cohere", "starcoder2", "gpt_bigcode", "bloom"}) {
    if (model.model_type.starts_with(family)) return true;
  }
  return is_falcon(model);
}

// "multi_query" of the first Falcons and of StarCoder is one head for all queries; the larger
// Falcons keep the word and count their groups.
std::int64_t count_kv_heads(ConfigKeys& config, const ModelConfig& model) {
  const char* named = "num_key_value_heads";
  if (config.flag("multi_query", false) && !config.flag("new_decoder_architecture", false) &&
      !config.has(named)) {
    return 1;
  }
  const std::int64_t heads = config.first_of(
      {named, "num_kv_heads", "multi_query_group_num", "n_head_kv"}, kCountOrAbsent);
  return heads > 0 ? heads : model.heads;
}

// By all names that vLLM looks for (vllm, config/model.py: _get_and_verify_max_len).
std::int64_t longest_text(ConfigKeys& config) {
  return config.first_of({"max_position_embeddings", "n_positions", "max_seq_len", "seq_length",
                          "model_max_length", "max_sequence_length", "max_seq_length", "seq_len"},
                         kLength);
}

// Some files list the kinds of their layers instead of counting them.
std::int64_t count_layers(ConfigKeys& config) {
  const char* list = "layers_block_type";
  if (!config.has("num_hidden_layers") && config.of(list).has_list(list)) {
    return static_cast<std::int64_t>(config.of(list).texts(list).size());
  }
  return config.required({"num_hidden_layers", "n_layer"}, kLayers);
}

// The first of a list; a list that is empty names none.
std::string architecture_of(ConfigKeys& config) {
  const char* key = "architectures";
  if (!config.of(key).has_list(key)) return {};
  const std::vector<std::string> names = config.of(key).texts(key);
  return names.empty() ? "" : names.front();
}

constexpr std::string_view kEncoder = "an encoder, which embeds or ranks text";
constexpr std::string_view kEncoderDecoder = "an encoder-decoder";
constexpr std::string_view kHead = "a decoder with another head, which embeds, ranks or classifies";
constexpr std::string_view kOther = "no language model";

struct Family {
  std::string_view model_type;
  std::string_view what;
};

// By the names of Hugging Face's transformers.
constexpr Family kFamilies[]{
    {"albert", kEncoder},
    {"bart", kEncoderDecoder},
    {"bert", kEncoder},
    {"blenderbot", kEncoderDecoder},
    {"camembert", kEncoder},
    {"clip", kOther},
    {"deberta", kEncoder},
    {"deberta-v2", kEncoder},
    {"distilbert", kEncoder},
    {"electra", kEncoder},
    {"encoder-decoder", kEncoderDecoder},
    {"ernie", kEncoder},
    {"gte", kEncoder},
    {"led", kEncoderDecoder},
    {"longformer", kEncoder},
    {"longt5", kEncoderDecoder},
    {"m2m_100", kEncoderDecoder},
    {"marian", kEncoderDecoder},
    {"mbart", kEncoderDecoder},
    {"modernbert", kEncoder},
    {"mpnet", kEncoder},
    {"mt5", kEncoderDecoder},
    {"new", kEncoder},
    {"nomic_bert", kEncoder},
    {"pegasus", kEncoderDecoder},
    {"roberta", kEncoder},
    {"siglip", kOther},
    {"switch_transformers", kEncoderDecoder},
    {"t5", kEncoderDecoder},
    {"t5gemma", kEncoderDecoder},
    {"umt5", kEncoderDecoder},
    {"vit", kOther},
    {"wav2vec2", kOther},
    {"whisper", kEncoderDecoder},
    {"xlm-roberta", kEncoder},
    {"xlm-roberta-xl", kEncoder},
    {"xmod", kEncoder},
};

// Heads that give a number or a vector for a text.
constexpr std::string_view kHeads[]{"ForSequenceClassification",
                                    "ForTokenClassification",
                                    "ForQuestionAnswering",
                                    "ForMultipleChoice",
                                    "ForMaskedLM",
                                    "RewardModel"};

// Whole language models in spite of the bare "Model" at their end.
constexpr std::string_view kGenerating[]{"LMHeadModel", "ChatModel", "ChatGLMModel"};

bool ends_with_any(std::string_view text, const auto& endings) {
  return std::ranges::any_of(endings, [&](std::string_view e) { return text.ends_with(e); });
}

std::string is_a(std::string_view name, std::string_view what) {
  return std::string(name) + " is " + std::string(what);
}

}  // namespace

ModelConfig model_config_from(SpecMap top, const std::string& id) {
  ConfigKeys config(top);
  ModelConfig model;
  model.id = to_lower(id);
  model.model_type = config.text({"model_type"});
  model.architecture = architecture_of(config);
  if (const std::string why = why_no_decoder(model.architecture, model.model_type); !why.empty()) {
    config.error(model.architecture.empty() ? "model_type" : "architectures", why,
                 "only models that generate text can be simulated");
    return model;
  }
  model.layers = count_layers(config);
  model.hidden = config.required({"hidden_size", "n_embd"}, kWidth);
  model.heads = config.required({"num_attention_heads", "n_head"}, kCount);
  model.vocab = config.required({"vocab_size"}, kWidth);
  model.kv_heads = count_kv_heads(config, model);
  if (model.kv_heads > 0 && model.heads % model.kv_heads != 0) {
    config.error("num_key_value_heads",
                 std::to_string(model.heads) + " attention heads cannot share " +
                     std::to_string(model.kv_heads) + " key-value heads evenly",
                 "num_attention_heads is a multiple of num_key_value_heads");
  }
  model.head_dim = config.first_of({"head_dim"}, kWidthOrAbsent);
  model.intermediate =
      config.first_of({"intermediate_size", "ffn_hidden_size", "n_inner"}, kWidthOrAbsent);
  model.tie_word_embeddings = config.flag("tie_word_embeddings", is_tied_by_default(model));
  model.hidden_act = config.text({"hidden_act"});
  model.kv_lora_rank = config.first_of({"kv_lora_rank"}, kWidthOrAbsent);
  model.qk_rope_head_dim = config.first_of({"qk_rope_head_dim"}, kWidthOrAbsent);
  model.max_position_embeddings = longest_text(config);
  model.max_model_len = derived_max_model_len(config, model);
  read_moe(config, &model);
  if (model.layers < 1 || model.hidden < 1 || model.heads < 1) return model;  // noted already
  model.layers_by_kind =
      layers_by_kind(attention_by_layer(config, model), mlp_by_layer(config, model));
  model.compute_bytes = dtype_bytes(config);
  model.weight_bytes = reference_weight_bytes(config, id, model.compute_bytes);
  model.quantization = quantization_of(config, model);
  return model;
}

Result<ModelConfig> parse_model_config(const std::string& text, std::string file,
                                       const std::string& id) {
  TRY(spec, SpecFile::parse(text, std::move(file)));
  return spec.finish(model_config_from(spec.top(), id));
}

Result<ModelConfig> read_model_config(const std::string& path, std::string id) {
  namespace fs = std::filesystem;
  fs::path file(path);
  std::error_code ignored;
  if (is_folder(path)) {
    file /= "config.json";
    if (!is_file(file.string())) {
      return fail_in(ErrorKind::io, path, "this folder holds no config.json",
                     "give the folder of a model, or its config.json");
    }
  }
  if (id.empty()) {
    const fs::path folder = fs::absolute(file, ignored).lexically_normal().parent_path();
    id = folder.filename().string();
  }
  TRY(text, read_file(file.string()));
  return parse_model_config(text, file.string(), id);
}

std::string why_no_decoder(std::string_view architecture, std::string_view model_type) {
  const auto family = std::ranges::find(kFamilies, model_type, &Family::model_type);
  const bool generates = architecture.ends_with("ForCausalLM");
  if (family != std::end(kFamilies) && !generates) {
    return is_a(architecture.empty() ? model_type : architecture, family->what);
  }
  if (ends_with_any(architecture, kHeads)) return is_a(architecture, kHead);
  if (architecture.ends_with("Model") && !ends_with_any(architecture, kGenerating)) {
    return is_a(architecture, kHead);
  }
  return {};
}

}  // namespace plimsoll
