// Is a config.json whose layers are of another layout read right, or refused by the key that says
// so? Shapes are those of published models.
#include <string>
#include <utility>

#include <gtest/gtest.h>

#include "catalog/hf_config.h"

namespace plimsoll {
namespace {

// `keys` are separated by commas and have single quotes.
Result<ModelConfig> read_layout(std::string keys) {
  for (char& c : keys) {
    if (c == '\'') c = '"';
  }
  return parse_model_config("{" + keys + ", \"torch_dtype\": \"bfloat16\"}", "config.json", "o/m");
}

ModelConfig parsed_layout(const std::string& keys) {
  auto model = read_layout(keys);
  EXPECT_TRUE(model.has_value()) << format(model.error());
  return model.value_or(ModelConfig{});
}

std::int64_t layers_with(const ModelConfig& model, AttentionKind attention, MlpKind mlp) {
  std::int64_t layers = 0;
  for (const LayerGroup& group : model.layers_by_kind) {
    const Layer& layer = group.layer;
    if (layer.attention.kind == attention && layer.mlp.kind == mlp) layers += group.count;
  }
  return layers;
}

const std::string kJamba =
    "'model_type': 'jamba', 'num_hidden_layers': 32, 'hidden_size': 4096, 'vocab_size': 65536,"
    "'num_attention_heads': 32, 'num_key_value_heads': 8, 'intermediate_size': 14336,"
    "'hidden_act': 'silu', 'attn_layer_period': 8, 'attn_layer_offset': 4,"
    "'expert_layer_period': 2, 'expert_layer_offset': 1, 'num_experts': 16,"
    "'num_experts_per_tok': 2, 'mamba_d_conv': 4, 'mamba_d_state': 16, 'mamba_expand': 2,"
    "'mamba_dt_rank': 256";

TEST(ForeignLayouts, jamba_attends_in_every_eighth_layer_and_has_experts_in_every_second) {
  const ModelConfig model = parsed_layout(kJamba);
  EXPECT_EQ(layers_with(model, AttentionKind::standard, MlpKind::dense), 4);
  EXPECT_EQ(layers_with(model, AttentionKind::linear, MlpKind::dense), 12);
  EXPECT_EQ(layers_with(model, AttentionKind::linear, MlpKind::experts), 16);
  EXPECT_EQ(model.layers_by_kind.front().layer.attention.parameters, 105'283'584);
}

TEST(ForeignLayouts, periods_that_no_layer_fits_are_errors_of_their_keys) {
  const auto model = read_layout(kJamba + ", 'layer_types': 1");
  EXPECT_FALSE(model.has_value());
  const std::string dense =
      "'num_hidden_layers': 2, 'hidden_size': 64, 'vocab_size': 100, 'num_attention_heads': 8, ";
  const auto zero = read_layout(dense + "'attn_layer_period': 0");
  ASSERT_FALSE(zero.has_value());
  EXPECT_NE(format(zero.error()).find("\"attn_layer_period\" must be between"), std::string::npos);
}

TEST(ForeignLayouts, bamba_lists_the_layers_that_attend) {
  const ModelConfig model = parsed_layout(
      "'model_type': 'bamba', 'num_hidden_layers': 32, 'hidden_size': 4096, 'vocab_size': 128256,"
      "'num_attention_heads': 32, 'num_key_value_heads': 8, 'intermediate_size': 14336,"
      "'hidden_act': 'silu', 'attn_layer_indices': [9, 18, 27], 'mamba_n_heads': 128,"
      "'mamba_d_head': 64, 'mamba_d_state': 128, 'mamba_n_groups': 1, 'mamba_d_conv': 4");
  EXPECT_EQ(layers_with(model, AttentionKind::standard, MlpKind::dense), 3);
  EXPECT_EQ(layers_with(model, AttentionKind::linear, MlpKind::dense), 29);
}

TEST(ForeignLayouts, multi_query_is_one_head_for_all_queries) {
  const std::string falcon =
      "'model_type': 'falcon', 'num_hidden_layers': 32, 'hidden_size': 4544, 'vocab_size': 65024,"
      "'num_attention_heads': 71, 'multi_query': true";
  EXPECT_EQ(parsed_layout(falcon + ", 'new_decoder_architecture': false").kv_heads, 1);
  // Saved again, the file of the 7B counts its query heads under this name.
  EXPECT_EQ(parsed_layout(falcon + ", 'num_kv_heads': 71").kv_heads, 1);
  EXPECT_EQ(parsed_layout(falcon + ", 'num_key_value_heads': 71").kv_heads, 71);
  EXPECT_EQ(parsed_layout("'model_type': 'falcon', 'num_hidden_layers': 60, 'hidden_size': 8192,"
                          "'vocab_size': 65024, 'num_attention_heads': 128, 'num_kv_heads': 8,"
                          "'multi_query': true, 'new_decoder_architecture': true")
                .kv_heads,
            8);
  const ModelConfig starcoder = parsed_layout(
      "'model_type': 'gpt_bigcode', 'n_layer': 40, 'n_embd': 6144, 'vocab_size': 49152,"
      "'n_head': 48, 'n_inner': 24576, 'n_positions': 8192, 'multi_query': true,"
      "'activation_function': 'gelu'");
  EXPECT_EQ(starcoder.kv_heads, 1);
  EXPECT_TRUE(starcoder.tie_word_embeddings);
}

TEST(ForeignLayouts, what_no_kind_describes_is_refused_by_its_key) {
  const std::pair<std::string, std::string> cases[] = {
      {"zamba2", "'hybrid_layer_ids': [1]"},
      {"zamba", "'attn_layer_period': 2"},
      {"lfm2", "'full_attn_idxs': [1]"},
      {"recurrent_gemma", "'block_types': ['recurrent', 'attention']"},
      {"recurrent_gemma", "'attention_window_size': 2048"},
      {"mllama_text_model", "'cross_attention_layers': [1]"},
      {"gemma3n_text", "'num_kv_shared_layers': 1"},
      {"falcon_h1", "'mamba_d_state': 256, 'mamba_n_heads': 24, 'mamba_d_head': 64"},
      {"qwen3_next", "'linear_num_value_heads': 32"},
  };
  for (const auto& [type, keys] : cases) {
    const auto model = read_layout(
        "'num_hidden_layers': 2, 'hidden_size': 64, 'vocab_size': 100, 'num_attention_heads': 8,"
        "'model_type': '" +
        type + "', " + keys);
    ASSERT_FALSE(model.has_value()) << type;
    EXPECT_EQ(model.error().diagnostics.size(), 1u) << format(model.error());
    const std::string key = keys.substr(1, keys.find('\'', 1) - 1);
    EXPECT_NE(format(model.error()).find("\"" + key + "\" describes is not modelled"),
              std::string::npos)
        << format(model.error());
  }
}

TEST(ForeignLayouts, keys_that_say_nothing_are_no_reason) {
  const std::string plain =
      "'num_hidden_layers': 2, 'hidden_size': 64, 'vocab_size': 100, 'num_attention_heads': 8, ";
  EXPECT_EQ(parsed_layout(plain + "'cross_attention_layers': [], 'num_kv_shared_layers': 0,"
                                  "'multi_query': false, 'block_types': null")
                .layers_by_kind.size(),
            1u);
  // Granite 4 without states keeps their keys.
  EXPECT_EQ(parsed_layout(plain + "'layer_types': ['attention', 'attention'], 'mamba_d_state': 256")
                .layers_by_kind.size(),
            1u);
}

TEST(ForeignLayouts, the_length_limit_is_found_by_any_of_its_names) {
  const std::string plain =
      "'num_hidden_layers': 2, 'hidden_size': 64, 'vocab_size': 100, 'num_attention_heads': 8, ";
  for (const char* key : {"max_position_embeddings", "n_positions", "max_seq_len", "seq_length",
                          "model_max_length", "max_sequence_length", "max_seq_length", "seq_len"}) {
    EXPECT_EQ(parsed_layout(plain + "'" + key + "': 2048").max_model_len, 2048) << key;
  }
  EXPECT_EQ(parsed_layout(plain + "'seq_length': 512, 'n_positions': 2048").max_model_len, 2048);
}

}  // namespace
}  // namespace plimsoll
