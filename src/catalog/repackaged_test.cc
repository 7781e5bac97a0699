#include "catalog/repackaged.h"

#include <gtest/gtest.h>

#include <map>

#include "catalog/catalog.h"

namespace plimsoll {
namespace {

// The model that stands in, with its weights where they are others: "qwen/qwen3-8b + int4".
std::string stands_in(std::string_view id) {
  const auto found = repackaged_from(id);
  if (!found) return "";
  return found->of + (found->weights.empty() ? "" : " + " + found->weights);
}

TEST(Repackaged, a_base_or_instruct_checkpoint_is_the_other_one) {
  EXPECT_EQ(stands_in("meta-llama/Llama-3.1-70B"), "meta-llama/llama-3.1-70b-instruct");
  EXPECT_EQ(stands_in("meta-llama/Llama-3.1-8B"), "meta-llama/llama-3.1-8b-instruct");
  EXPECT_EQ(stands_in("meta-llama/Llama-3.1-405B-Instruct"), "meta-llama/meta-llama-3.1-405b");
  EXPECT_EQ(stands_in("google/gemma-3-27b"), "google/gemma-3-27b-it");
  EXPECT_EQ(stands_in("gemma-3-27b-pt"), "google/gemma-3-27b-it");
  EXPECT_EQ(stands_in("meta-llama/Llama-2-7b-chat-hf"), "meta-llama/llama-2-7b-hf");
  EXPECT_EQ(stands_in("deepseek-ai/DeepSeek-R1-0528"), "deepseek-ai/deepseek-r1");
  EXPECT_EQ(stands_in("deepseek-ai/DeepSeek-V3-0324"), "deepseek-ai/deepseek-v3");
  EXPECT_EQ(stands_in("mistralai/Mistral-7B-Instruct-v0.1"), "mistralai/mistral-7b-v0.1");
}

TEST(Repackaged, quantised_weights_are_read_off_the_name) {
  EXPECT_EQ(stands_in("meta-llama/Llama-3.1-405B-FP8"), "meta-llama/meta-llama-3.1-405b + fp8");
  EXPECT_EQ(stands_in("Qwen/Qwen3-8B-FP8"), "qwen/qwen3-8b + fp8-block");
  EXPECT_EQ(stands_in("Qwen/Qwen2.5-72B-Instruct-AWQ"), "qwen/qwen2.5-72b-instruct + int4");
  EXPECT_EQ(stands_in("Qwen/Qwen2.5-7B-Instruct-GPTQ-Int4"), "qwen/qwen2.5-7b-instruct + int4");
  EXPECT_EQ(stands_in("nvidia/DeepSeek-R1-NVFP4"), "deepseek-ai/deepseek-r1 + nvfp4");
  EXPECT_EQ(stands_in("unsloth/Meta-Llama-3.1-8B-Instruct-bnb-4bit"),
            "meta-llama/llama-3.1-8b-instruct + int4");
  EXPECT_EQ(stands_in("RedHatAI/Meta-Llama-3.1-8B-Instruct-quantized.w4a16"),
            "meta-llama/llama-3.1-8b-instruct + int4");
  EXPECT_EQ(stands_in("TheBloke/Llama-2-13B-chat-AWQ"), "meta-llama/llama-2-13b-hf + int4");
}

// The closest training decides, as its length limit is the one that counts.
TEST(Repackaged, of_several_entries_takes_the_one_that_was_trained_alike) {
  EXPECT_EQ(stands_in("Qwen/Qwen3-30B-A3B-Instruct-2507-FP8"),
            "qwen/qwen3-30b-a3b-instruct-2507 + fp8-block");
  EXPECT_EQ(stands_in("Qwen/Qwen3-30B-A3B-AWQ"), "qwen/qwen3-30b-a3b + int4");
  EXPECT_EQ(stands_in("unsloth/Llama-3.3-70B-Instruct-w4a16"),
            "redhatai/llama-3.3-70b-instruct-quantized.w4a16");
}

TEST(Repackaged, another_size_generation_or_distillation_is_another_model) {
  for (const char* id : {
           "meta-llama/Llama-3.1-9B",
           "meta-llama/Llama-3.2-8B",
           "meta-llama/Llama-4-8B",
           "meta-llama/Llama-3.2-11B-Vision-Instruct",
           "Qwen/Qwen2-72B-Instruct",
           "Qwen/Qwen1.5-72B-Chat",
           "Qwen/Qwen2.5-VL-72B-Instruct",
           "Qwen/Qwen2.5-Math-72B",
           "Qwen/Qwen2.5-7B-Instruct-1M",
           "deepseek-ai/DeepSeek-R1-0528-Qwen3-8B",
           "deepseek-ai/DeepSeek-R1-Zero-Distill",
           "deepseek-ai/DeepSeek-R1-Distill-Llama-7B",
           "google/gemma-3-27b-it-qat-q4_0-gguf",
           "google/gemma-3n-E4B-it",
           "google/gemma-27b",
           "mistralai/Mistral-7B-Instruct-v0.4",
           "mistralai/Mistral-Small-Instruct-2409",
           "mistralai/Mistral-Large-Instruct-2512",
           "mistral-large-2512",
           "nvidia/Llama-3.1-Nemotron-Nano-8B-v1",
           "zai-org/GLM-4.5V",
           "zai-org/GLM-4-9B",
           "Qwen/Qwen3-Coder-Next",
           "Qwen/Qwen3-VL-30B-A3B-Instruct",
           "Qwen/Qwen3-Embedding-8B",
           "microsoft/phi-4-multimodal-instruct",
           "moonshotai/Kimi-Linear-48B-A3B-Instruct",
       }) {
    EXPECT_EQ(stands_in(id), "") << id;
  }
}

TEST(Repackaged, copies_of_a_makers_fp8_files_have_their_scales) {
  const auto weights = [](const char* id) { return repackaged_from(id).value().weights; };
  EXPECT_EQ(weights("Qwen/Qwen3-30B-A3B-Instruct-2507-FP8"), "fp8-block");
  EXPECT_EQ(weights("Qwen3-30B-A3B-Instruct-2507-FP8"), "fp8-block");
  EXPECT_EQ(weights("unsloth/Qwen3-30B-A3B-Thinking-2507-FP8"), "fp8-block");
  EXPECT_EQ(stands_in("RedHatAI/Qwen3-30B-A3B-FP8-block"), "qwen/qwen3-30b-a3b-fp8");
  EXPECT_EQ(weights("RedHatAI/Qwen3-30B-A3B-FP8-dynamic"), "fp8");
  EXPECT_EQ(weights("nvidia/Qwen3-30B-A3B-FP8"), "fp8");
}

TEST(Repackaged, the_size_of_what_a_token_takes_may_be_left_out) {
  EXPECT_EQ(stands_in("Qwen3-Coder-30B"), "qwen/qwen3-coder-30b-a3b-instruct");
  EXPECT_EQ(stands_in("qwen/qwen3-235b"), "qwen/qwen3-235b-a22b");
  EXPECT_EQ(stands_in("qwen/qwen3-coder-31b"), "");
}

TEST(Repackaged, of_versions_that_are_not_named_the_newest_is_meant) {
  EXPECT_EQ(stands_in("mistral-7b"), "mistralai/mistral-7b-instruct-v0.3");
  EXPECT_EQ(stands_in("mistralai/Mistral-7B-Instruct"), "mistralai/mistral-7b-instruct-v0.3");
  EXPECT_EQ(stands_in("mixtral-8x7b"), "mistralai/mixtral-8x7b-v0.1");
}

TEST(Repackaged, scales_of_a_kv_cache_and_16_bits_again_are_other_dresses) {
  EXPECT_EQ(stands_in("Llama-3.1-8B-Instruct-FP8-KV"), "meta-llama/llama-3.1-8b-instruct + fp8");
  EXPECT_EQ(stands_in("DeepSeek-R1-BF16"), "deepseek-ai/deepseek-r1 + bf16");
  EXPECT_EQ(stands_in("unsloth/gpt-oss-120b-BF16"), "openai/gpt-oss-120b + bf16");
}

TEST(Repackaged, a_checkpoint_has_one_kind_of_weights) {
  EXPECT_EQ(stands_in("Llama-3.1-8B-Instruct-FP8-AWQ"), "");
  EXPECT_EQ(contradiction_in("Llama-3.1-8B-Instruct-FP8-AWQ"), "fp8 and int4");
  EXPECT_EQ(contradiction_in("x/Qwen2.5-7B-Instruct-GPTQ-Int4"), "");
  EXPECT_EQ(contradiction_in("qwen/qwen3-8b"), "");
}

TEST(Repackaged, other_owners_and_weights_that_cannot_be_served_are_not_guessed_at) {
  EXPECT_EQ(stands_in("somebody/Llama-3.1-8B-Instruct"), "");
  EXPECT_EQ(stands_in("unsloth/Llama-3.1-8B-Instruct-GGUF"), "");
  EXPECT_EQ(stands_in("RedHatAI/Llama-3.1-8B-Instruct-quantized.w8a8"), "");
  EXPECT_EQ(stands_in(""), "");
  EXPECT_EQ(stands_in("/"), "");
  EXPECT_EQ(stands_in("instruct"), "");
}

// Whatever two names of the catalog have in common, it is not another architecture.
TEST(Repackaged, entries_of_one_model_have_the_same_shapes) {
  std::map<std::string, std::pair<std::string, ModelConfig>> first;
  for (const std::string& id : model_names()) {
    const auto name = model_name(id);
    if (!name) continue;
    ModelConfig config = find_model(id)->config;
    const auto [at, is_new] = first.try_emplace(name->model, id, config);
    const ModelConfig& other = at->second.second;
    EXPECT_EQ(config.layers_by_kind, other.layers_by_kind) << id << " and " << at->second.first;
    EXPECT_EQ(config.hidden, other.hidden) << id << " and " << at->second.first;
  }
}

}  // namespace
}  // namespace plimsoll
