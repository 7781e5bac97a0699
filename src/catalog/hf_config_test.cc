#include "catalog/hf_config.h"

#include <cstdio>
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

TEST(ModelConfigReader, gives_one_clear_error_for_what_is_unusable) {
  const std::pair<std::string, std::string> cases[] = {
      {"{}", "missing key \"num_hidden_layers\""},
      {"{\"num_hidden_layers\": 2}", "missing key \"hidden_size\""},
      {"[1]", "expected keys and values at the top level, found a list"},
      {"", "the file is empty"},
      {"{\"a\": ", "may be left open"},
      {config("", ""), "the file names no data type"},
      {config("", "float7"), "unknown data type \"float7\""},
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
      {config("\"layer_types\": [\"full_attention\", \"linear_attention\"]"),
       "layers differ in kind"},
      {config("\"hybrid_override_pattern\": \"M*M\""), "layers differ in kind"},
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
