#include "catalog/hf_config.h"

#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>

namespace plimsoll {
namespace {

// A small dense model; `more` adds or replaces keys (later ones win by being the only ones).
std::string config(const std::string& more, const std::string& dtype = "bfloat16") {
  return "{\"architectures\": [\"X\"], \"num_hidden_layers\": 2, \"hidden_size\": 64,"
         " \"num_attention_heads\": 8, \"vocab_size\": 100, \"intermediate_size\": 256" +
         (dtype.empty() ? "" : ", \"torch_dtype\": \"" + dtype + "\"") +
         (more.empty() ? "" : ", " + more) + "}";
}

ModelConfig parsed(const std::string& text, const std::string& id = "org/m") {
  auto model = parse_model_config(text, "config.json", id);
  EXPECT_TRUE(model.has_value()) << format(model.error());
  return model.value_or(ModelConfig{});
}

std::string error_of(const std::string& text) {
  auto model = parse_model_config(text, "config.json", "org/m");
  return model ? "no error" : format(model.error());
}

TEST(ModelConfigReader, fills_in_what_the_file_leaves_out) {
  const ModelConfig m = parsed(config(""), "Org/Model");
  EXPECT_EQ(m.id, "org/model");
  EXPECT_EQ(m.layers, 2);
  EXPECT_EQ(m.kv_heads, 8);
  EXPECT_EQ(m.head_dim, 0);
  EXPECT_EQ(m.compute_bytes, 2);
  EXPECT_EQ(m.weight_bytes, 2);
  EXPECT_FALSE(m.is_moe());
  EXPECT_FALSE(m.tie_word_embeddings);
  EXPECT_EQ(m.max_model_len, 0);
}

TEST(ModelConfigReader, lets_text_config_override_the_top_level) {
  const ModelConfig m = parsed(config(
      "\"text_config\": {\"num_hidden_layers\": 5, \"num_key_value_heads\": 4, \"x\": null}"));
  EXPECT_EQ(m.layers, 5);
  EXPECT_EQ(m.kv_heads, 4);
  EXPECT_EQ(m.hidden, 64);
}

TEST(ModelConfigReader, knows_every_name_for_kv_heads) {
  EXPECT_EQ(parsed(config("\"num_kv_heads\": 2")).kv_heads, 2);
  EXPECT_EQ(parsed(config("\"multi_query_group_num\": 1")).kv_heads, 1);
  EXPECT_EQ(parsed(config("\"num_key_value_heads\": 0, \"num_kv_heads\": 4")).kv_heads, 4);
  EXPECT_EQ(parsed(config("\"num_key_value_heads\": null")).kv_heads, 8);
}

TEST(ModelConfigReader, takes_one_expert_for_dense) {
  EXPECT_FALSE(parsed(config("\"num_experts\": 1")).is_moe());
  EXPECT_EQ(parsed(config("\"num_experts\": 1, \"num_local_experts\": 8")).experts, 8);
}

TEST(ModelConfigReader, derives_the_stored_width_of_weights) {
  const auto width = [](const std::string& quantization, const std::string& id) {
    return parsed(config(quantization), id).weight_bytes;
  };
  EXPECT_EQ(width("\"quantization_config\": {\"bits\": 4, \"quant_method\": \"gptq\"}", "m"), 0.5);
  EXPECT_EQ(width("\"quantization_config\": {\"bits\": \"8\"}", "m"), 1);
  EXPECT_EQ(width("\"quantization_config\": {\"quant_method\": \"fp8\"}", "m"), 1);
  EXPECT_EQ(width("\"quantization_config\": {\"quant_method\": \"compressed-tensors\","
                  " \"config_groups\": {\"group_1\": {\"weights\": {\"num_bits\": 8}},"
                  " \"group_0\": {\"weights\": {\"num_bits\": 4}}}}",
                  "m"),
            0.5);
  EXPECT_EQ(width("\"quantization_config\": {\"quant_method\": \"mxfp4\"}", "m"), 4.25 / 8);
  EXPECT_EQ(width("", "org/m-quantized.w4a16"), 0.5);
  EXPECT_EQ(width("", "org/M-FP8-dynamic"), 1);
  EXPECT_EQ(width("", "org/m-w8a8"), 1);
  EXPECT_EQ(width("", "org/wafp8le-waa"), 2);  // not delimited
}

TEST(ModelConfigReader, stretches_the_length_by_rope_scaling_like_vllm) {
  const auto length = [](const std::string& rope, const std::string& type = "llama") {
    return parsed(config("\"model_type\": \"" + type + "\", \"max_position_embeddings\": 1000" +
                         (rope.empty() ? "" : ", \"rope_scaling\": " + rope)))
        .max_model_len;
  };
  EXPECT_EQ(length(""), 1000);
  EXPECT_EQ(length("null"), 1000);
  EXPECT_EQ(length("{\"type\": \"linear\", \"factor\": 2.5}"), 2500);
  EXPECT_EQ(length("{\"rope_type\": \"llama3\", \"factor\": 8}"), 1000);
  EXPECT_EQ(length("{\"type\": \"longrope\", \"factor\": 8}"), 1000);
  EXPECT_EQ(length("{\"type\": \"linear\", \"factor\": 0.5}"), 1000);
  EXPECT_EQ(length("{\"type\": \"linear\", \"factor\": 2}", "gemma3_text"), 1000);
  EXPECT_EQ(length("{\"type\": \"yarn\", \"factor\": 40, "
                   "\"original_max_position_embeddings\": 4096}"),
            163840);
}

// How many layers of which attention and MLP; the window or state of each.
std::string layers_of(const std::string& more) {
  std::string out;
  for (const LayerGroup& group : parsed(config(more)).layers_by_kind) {
    const Attention& a = group.layer.attention;
    const Mlp& mlp = group.layer.mlp;
    const char* kinds[] = {"none", "standard", "latent", "linear"};
    const char* mlps[] = {"none", "dense", "experts"};
    out += std::to_string(group.count) + " " + kinds[static_cast<int>(a.kind)] +
           (a.window > 0 ? " " + std::to_string(a.window) : "") + " " +
           mlps[static_cast<int>(mlp.kind)] + "; ";
  }
  return out;
}

TEST(ModelConfigReader, tells_the_layers_apart_however_the_file_says_it) {
  EXPECT_EQ(layers_of(""), "2 standard dense; ");
  EXPECT_EQ(layers_of("\"sliding_window\": 16"), "2 standard 16 dense; ");
  EXPECT_EQ(layers_of("\"sliding_window\": 16, \"use_sliding_window\": false"),
            "2 standard dense; ");
  EXPECT_EQ(layers_of("\"sliding_window\": 16, \"use_sliding_window\": true,"
                      " \"max_window_layers\": 1"),
            "1 standard dense; 1 standard 16 dense; ");
  EXPECT_EQ(layers_of("\"sliding_window\": 16, \"max_position_embeddings\": 16"),
            "2 standard dense; ");
  EXPECT_EQ(layers_of("\"sliding_window\": 16, \"sliding_window_pattern\": 2"),
            "1 standard 16 dense; 1 standard dense; ");
  EXPECT_EQ(layers_of("\"sliding_window\": 16, \"hybrid_layer_pattern\": [0, 1]"),
            "1 standard dense; 1 standard 16 dense; ");
  EXPECT_EQ(layers_of("\"num_experts\": 4, \"num_experts_per_tok\": 1,"
                      " \"first_k_dense_replace\": 1"),
            "1 standard dense; 1 standard experts; ");
  EXPECT_EQ(layers_of("\"num_experts\": 4, \"interleave_moe_layer_step\": 2"),
            "1 standard dense; 1 standard experts; ");
  EXPECT_EQ(layers_of("\"num_experts\": 4, \"mlp_only_layers\": [1]"),
            "1 standard experts; 1 standard dense; ");
  EXPECT_EQ(layers_of("\"num_experts\": 4, \"moe_layer_freq\": 2"),
            "1 standard experts; 1 standard dense; ");
  EXPECT_EQ(layers_of("\"attn_type_list\": [1, 1]"), "2 standard dense; ");
  EXPECT_EQ(layers_of("\"kv_lora_rank\": 8, \"qk_rope_head_dim\": 4, \"qk_nope_head_dim\": 8,"
                      " \"v_head_dim\": 8"),
            "2 latent dense; ");
  EXPECT_EQ(layers_of("\"hybrid_override_pattern\": \"M*\", \"mamba_num_heads\": 4,"
                      " \"mamba_head_dim\": 8, \"ssm_state_size\": 16, \"n_groups\": 1,"
                      " \"conv_kernel\": 4"),
            "1 linear none; 1 standard none; ");
  EXPECT_EQ(layers_of("\"block_configs\": [{\"attention\": {\"no_op\": true}, \"ffn\":"
                      " {\"ffn_mult\": 1}}, {\"attention\": {\"n_heads_in_group\": 4}, \"ffn\":"
                      " {\"no_op\": true}}]"),
            "1 none dense; 1 standard none; ");
}

TEST(ModelConfigReader, knows_which_parts_are_quantised_and_how) {
  const auto read = [](const std::string& keys, const std::string& id = "org/m") {
    return parsed(config(keys), id).quantization;
  };
  const auto quantized = [&](const std::string& inside) {
    return read("\"quantization_config\": {" + inside + "}");
  };
  EXPECT_EQ(read(""), Quantization{});
  EXPECT_EQ(read("", "org/m-fp8").dense_mlp, (WeightFormat{1, MatrixFormat::fp8}));
  EXPECT_EQ(read("", "org/m-w8a8").attention, (WeightFormat{1, MatrixFormat::int8}));
  EXPECT_EQ(read("", "org/m-w4a16").dense_mlp, (WeightFormat{4.125 / 8, MatrixFormat::bf16}));
  EXPECT_EQ(read("", "org/m-NVFP4").experts, (WeightFormat{4.5 / 8, MatrixFormat::fp4}));
  EXPECT_EQ(read("", "org/m-NVFP4").attention, (WeightFormat{4.5 / 8, MatrixFormat::fp4}));
  EXPECT_EQ(read("\"num_experts\": 4", "org/m-NVFP4").attention, WeightFormat{});
  EXPECT_EQ(quantized("\"quant_method\": \"awq\", \"bits\": 4, \"group_size\": 128").dense_mlp,
            (WeightFormat{4.125 / 8, MatrixFormat::bf16}));
  EXPECT_EQ(quantized("\"quant_method\": \"gptq\", \"bits\": 8, \"group_size\": -1").dense_mlp,
            (WeightFormat{1, MatrixFormat::bf16}));
  EXPECT_EQ(quantized("\"quant_method\": \"bitsandbytes\", \"load_in_4bit\": true").experts,
            (WeightFormat{4.25 / 8, MatrixFormat::bf16}));
  const std::string group =
      "\"quant_method\": \"compressed-tensors\", \"config_groups\":"
      " {\"group_0\": {\"weights\": ";
  EXPECT_EQ(quantized(group + "{\"num_bits\": 8, \"type\": \"float\"}}}").experts,
            (WeightFormat{1, MatrixFormat::fp8}));
  EXPECT_EQ(
      quantized(group + "{\"num_bits\": 4, \"group_size\": 32, \"type\": \"float\"}}}").experts,
      (WeightFormat{4.25 / 8, MatrixFormat::mxfp4}));
  EXPECT_EQ(quantized(group + "{\"num_bits\": 4, \"group_size\": 32, \"type\": \"int\"}}}").experts,
            (WeightFormat{4.5 / 8, MatrixFormat::bf16}));
  const Quantization gptq = quantized(
      "\"quant_method\": \"gptq\", \"bits\": 4, \"group_size\": 128, \"dynamic\":"
      " {\"lm_head\": {}, \"-:.*attn.*\": {}, \"-:.*shared_expert.*\": {}}");
  EXPECT_EQ(gptq.dense_mlp, (WeightFormat{4.125 / 8, MatrixFormat::bf16}));
  EXPECT_EQ(gptq.attention, WeightFormat{});
  EXPECT_EQ(gptq.linear_attention, WeightFormat{});
  EXPECT_EQ(gptq.shared_experts, WeightFormat{});
  const Quantization nvfp4 = quantized(
      "\"quant_method\": \"modelopt\", \"quant_algo\": \"NVFP4\", \"kv_cache_scheme\":"
      " {\"num_bits\": 8}, \"ignore\": [\"lm_head\", \"model.layers.0.self_attn*\","
      " \"model.layers.1.self_attn*\", \"model.layers.0.mlp.gate\"]");
  EXPECT_EQ(nvfp4.dense_mlp, (WeightFormat{4.5 / 8, MatrixFormat::fp4}));
  EXPECT_EQ(nvfp4.attention, WeightFormat{});
  EXPECT_EQ(nvfp4.kv_bytes, 1);
}

TEST(ModelConfigReader, takes_a_file_without_a_data_type_as_served_in_16_bits) {
  const ModelConfig m = parsed(config("", ""));
  EXPECT_EQ(m.compute_bytes, 0);
  EXPECT_EQ(m.quantization, Quantization{});
}

TEST(ModelConfigReader, gives_one_clear_error_for_what_is_unusable) {
  const std::pair<std::string, std::string> cases[] = {
      {"{}", "missing key \"num_hidden_layers\""},
      {"{\"num_hidden_layers\": 2}", "missing key \"hidden_size\""},
      {"[1]", "expected keys and values at the top level, found a list"},
      {"", "the file is empty"},
      {"{\"a\": ", "may be left open"},
      {config("", "float7"), "unknown data type \"float7\""},
      {config("\"num_key_value_heads\": 5"), "cannot share 5 key-value heads evenly"},
      {config("\"num_key_value_heads\": -8"), "\"num_key_value_heads\" must be between"},
      {config("\"head_dim\": -1"), "\"head_dim\" must be between"},
      {config("\"kv_lora_rank\": -1"), "\"kv_lora_rank\" must be between"},
      {config("\"num_experts\": 1e9"), "\"num_experts\" must be a whole number"},
      {config("\"num_experts\": 99999999999"), "\"num_experts\" must be between"},
      {config("\"num_key_value_heads\": [1, 2]"), "must be a whole number, got a list"},
      {config("\"tie_word_embeddings\": \"yes\""), "must be true or false"},
      {config("\"text_config\": {\"hidden_size\": 0}"), "\"hidden_size\" must be between"},
      {config("\"quantization_config\": {\"quant_method\": \"magic\"}"),
       "unknown quantisation method \"magic\""},
      {config("\"quantization_config\": {\"bits\": -4}"), "must be a number of bits"},
      {config("\"layer_types\": [\"full_attention\"]"), "has 1 values for 2 layers"},
      {config("\"layer_types\": [\"full_attention\", \"conv\"]"),
       "layers of kind \"conv\" are not modelled"},
      {config("\"layer_types\": [\"full_attention\", \"linear_attention\"]"),
       "missing key \"mamba_num_heads\""},
      {config("\"layer_types\": [\"full_attention\", \"sliding_attention\"]"),
       "missing key \"sliding_window\""},
      {config("\"layer_types\": 3"), "must be a list"},
      {config("\"hybrid_override_pattern\": \"M*M\""), "for each of the 2 layers"},
      {config("\"hybrid_override_pattern\": \"MX\""), "one of M, *, E and -"},
      {config("\"hybrid_layer_pattern\": [0, 1, 1]"), "has 3 values for 2 layers"},
      {config("\"hybrid_layer_pattern\": [0, 0.5]"), "must hold whole numbers"},
      {config("\"compress_ratios\": [4, 128]"), "describes is not modelled"},
      {config("\"attn_type_list\": [0, 1]"), "describes is not modelled"},
      {config("\"kv_lora_rank\": 8, \"qk_rope_head_dim\": 4"), "missing key \"qk_nope_head_dim\""},
      {config("\"linear_attn_config\": {\"full_attn_layers\": [3]}"),
       "must be at least 1 and at most 2, got 3"},
      {config("\"index_topk\": 8"), "missing key \"index_n_heads\""},
      {config("\"block_configs\": []"), "has 0 values for 2 layers"},
      {config("\"block_configs\": [{\"attention\": {\"replace_with_linear\": true,"
              " \"n_heads_in_group\": 1}, \"ffn\": {\"ffn_mult\": 1}}]"),
       "replaced by a linear layer"},
      {config("\"block_configs\": [{\"attention\": {\"n_heads_in_group\": 9}}]"),
       "\"n_heads_in_group\" must be between 1 and 8"},
      {config("\"num_experts\": 4, \"mlp_only_layers\": [2]"), "must be at least 0 and at most 1"},
      {config("\"num_experts\": 4, \"mlp_layer_types\": [\"dense\", \"odd\"]"),
       "MLPs of kind \"odd\" are not modelled"},
      {config("\"num_experts\": 4, \"moe_layer_freq\": [1]"), "has 1 values for 2 layers"},
      {config("\"num_attention_heads_per_layer\": [8]"), "has 1 values for 2 layers"},
      {config("\"quantization_config\": 4"), "must hold keys and values"},
      {config("\"quantization_config\": {\"quant_method\": \"modelopt\","
              " \"quant_algo\": \"INT3\"}"),
       "unknown quantisation method \"modelopt\""},
      {"{\"num_hidden_layers\": 999999}", "\"num_hidden_layers\" must be between 1 and 10000"},
      {config("\"vocab_size\": 5"), "duplicate key \"vocab_size\""},
  };
  for (const auto& [text, message] : cases) {
    EXPECT_NE(error_of(text).find(message), std::string::npos)
        << text << "\nexpected: " << message << "\ngot: " << error_of(text);
  }
}

TEST(ModelConfigReader, reads_a_file_or_the_folder_that_holds_it) {
  namespace fs = std::filesystem;
  const fs::path folder = fs::path(testing::TempDir()) / "plimsoll-Tiny-w8a8";
  fs::create_directories(folder);
  EXPECT_FALSE(read_model_config(folder.string()).has_value());
  std::ofstream(folder / "config.json") << config("");
  for (const fs::path& path : {folder, folder / "config.json", folder / ""}) {
    const auto model = read_model_config(path.string());
    ASSERT_TRUE(model.has_value()) << format(model.error());
    EXPECT_EQ(model->id, "plimsoll-tiny-w8a8");
    EXPECT_EQ(model->weight_bytes, 1);
  }
  fs::remove_all(folder);
  const auto missing = read_model_config(folder.string());
  ASSERT_FALSE(missing.has_value());
  EXPECT_EQ(exit_code(missing.error()), 3);
}

}  // namespace
}  // namespace plimsoll
