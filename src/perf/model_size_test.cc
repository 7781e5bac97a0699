#include "perf/model_size.h"

#include <cmath>

#include <gtest/gtest.h>

#include "catalog/catalog.h"

namespace plimsoll {
namespace {

// What the publishers of the models say, in 1e9 parameters. Active: 0 = not said (dense).
struct Known {
  const char* model;
  double total;
  double active;
};

const Known kKnown[] = {
    {"meta-llama/llama-2-7b-hf", 6.74, 0},
    {"meta-llama/llama-2-70b-hf", 68.98, 0},
    {"meta-llama/llama-3.1-8b-instruct", 8.03, 0},
    {"meta-llama/llama-3.1-70b-instruct", 70.55, 0},
    {"meta-llama/meta-llama-3.1-405b", 405.8, 0},
    {"meta-llama/llama-3.2-1b", 1.24, 0},
    {"meta-llama/llama-3.2-3b", 3.21, 0},
    {"meta-llama/llama-4-scout-17b-16e-instruct", 108, 17.2},
    {"meta-llama/llama-4-maverick-17b-128e-instruct", 400, 17.2},
    {"mistralai/mistral-7b-instruct-v0.3", 7.25, 0},
    {"mistralai/mistral-nemo-instruct-2407", 12.2, 0},
    {"mistralai/mistral-small-24b-instruct-2501", 23.6, 0},
    {"mistralai/mixtral-8x7b-v0.1", 46.7, 12.9},
    {"mistralai/mixtral-8x22b-v0.1", 140.6, 39.1},
    {"qwen/qwen2.5-3b-instruct", 3.09, 0},
    {"qwen/qwen2.5-7b-instruct", 7.62, 0},
    {"qwen/qwen2.5-32b", 32.8, 0},
    {"qwen/qwen2.5-72b", 72.7, 0},
    {"qwen/qwen3-0.6b", 0.6, 0},
    {"qwen/qwen3-8b", 8.19, 0},
    {"qwen/qwen3-14b", 14.8, 0},
    {"qwen/qwen3-32b", 32.8, 0},
    {"qwen/qwen3-30b-a3b", 30.5, 3.3},
    {"qwen/qwen3-235b-a22b", 235, 22},
    {"qwen/qwen3-coder-480b-a35b-instruct", 480, 35},
    {"qwen/qwen3-next-80b-a3b", 80, 3.9},
    {"qwen/qwen3.5-122b-a10b", 122, 10},
    {"qwen/qwen3.5-397b-a17b", 397, 17},
    {"deepseek-ai/deepseek-v2-lite", 15.7, 2.7},
    {"deepseek-ai/deepseek-v3", 671, 37},
    {"moonshotai/kimi-k2-instruct", 1026, 32.6},
    {"openai/gpt-oss-120b", 116.8, 5.71},  // 5.13 without the embeddings
    {"openai/gpt-oss-20b", 20.9, 4.19},    // 3.61 without the embeddings
    {"google/gemma-2-2b-it", 2.61, 0},
    {"google/gemma-2-9b-it", 9.24, 0},
    {"google/gemma-2-27b-it", 27.2, 0},
    {"google/gemma-3-1b-it", 1.0, 0},
    {"google/gemma-4-26b-a4b", 25.2, 3.8},
    {"nvidia/nvidia-nemotron-3-nano-30b-a3b-bf16", 31.6, 3.6},
    {"nvidia/nvidia-nemotron-3-super-120b-a12b-fp8", 120.6, 12.7},
    {"nvidia/nvidia-nemotron-3-ultra-550b-a55b-bf16", 550, 55.8},
    {"nvidia/nemotron-h-56b-base-8k", 56.3, 0},
    {"nvidia/llama-3_3-nemotron-super-49b-v1", 49.9, 0},
    {"zai-org/glm-4.7-fp8", 353, 33.6},
    {"microsoft/phi-4", 14.7, 0},
    {"microsoft/phi-3.5-mini-instruct", 3.82, 0},
    {"microsoft/phi-mini-moe-instruct", 7.65, 2.4},
    {"bigcode/starcoder2-7b", 7.17, 0},
    {"allenai/olmo-2-32b", 32.2, 0},
    {"xiaomimimo/mimo-v2-flash", 309, 15.4},
    {"stepfun-ai/step-3.7-flash", 196, 11},
    {"minimaxai/minimax-m2.5", 229, 11},
};

TEST(ParameterCounts, are_those_that_the_publishers_name) {
  for (const Known& known : kKnown) {
    const auto model = find_model(known.model);
    ASSERT_TRUE(model.has_value()) << format(model.error());
    const ParameterCount count = count_parameters(model->config);
    EXPECT_NEAR(count.total / 1e9, known.total, 0.02 * known.total) << known.model;
    const double active = known.active > 0 ? known.active : known.total;
    EXPECT_NEAR(count.active / 1e9, active, 0.03 * active) << known.model;
  }
}

TEST(ParameterCounts, of_quantised_checkpoints_weigh_what_their_files_do) {
  const auto gib = [](const char* model) {
    return stored_weight_bytes(find_model(model)->config) / (1024.0 * 1024 * 1024);
  };
  EXPECT_NEAR(gib("openai/gpt-oss-120b"), 60.8, 0.6);  // its card says 60.8 GiB
  EXPECT_NEAR(gib("openai/gpt-oss-20b"), 12.8, 0.2);   // 12.8 GiB
  EXPECT_NEAR(gib("qwen/qwen3-30b-a3b-fp8"), 29, 1);
  EXPECT_NEAR(gib("deepseek-ai/deepseek-v3"), 627, 10);
}

KvLayers kv_of(const char* model, std::int64_t tp) {
  return kv_layers_of(find_model(model)->config, tp);
}

TEST(KvLayers, keep_heads_split_and_latent_vectors_whole) {
  EXPECT_EQ(kv_of("llama-3.1-8b-instruct", 1).bytes_per_token, 32 * 2 * 128 * 8 * 2);
  EXPECT_EQ(kv_of("llama-3.1-8b-instruct", 8).bytes_per_token, 32 * 2 * 128 * 2);
  EXPECT_EQ(kv_of("llama-3.1-8b-instruct", 16).bytes_per_token, 32 * 2 * 128 * 2);  // copied
  for (const std::int64_t tp : {1, 8}) {
    EXPECT_EQ(kv_of("deepseek-ai/deepseek-v3", tp).bytes_per_token, 61 * (512 + 64) * 2);
  }
  // DeepSeek 3.2 adds an index: 128 values of one byte and a scale of four.
  EXPECT_EQ(kv_of("deepseek-ai/deepseek-v3.2", 1).bytes_per_token, 61 * (576 * 2 + 132));
}

TEST(KvLayers, tell_windows_states_and_full_attention_apart) {
  const KvLayers oss = kv_of("openai/gpt-oss-120b", 1);
  EXPECT_EQ(oss.bytes_per_token, 18 * 2 * 64 * 8 * 2);
  ASSERT_EQ(oss.windowed.size(), 1u);
  EXPECT_EQ(oss.windowed[0].window, 128);
  EXPECT_EQ(oss.windowed[0].bytes_per_token, 18 * 2 * 64 * 8 * 2);
  EXPECT_EQ(oss.bytes_per_request, 0);

  const KvLayers next = kv_of("qwen/qwen3-next-80b-a3b", 1);
  EXPECT_EQ(next.bytes_per_token, 12 * 2 * 256 * 2 * 2);
  EXPECT_EQ(next.bytes_per_request, 36 * 2 * (32 * 128 * 128 + (2 * 2048 + 4096) * 3));

  // Gemma 4: layers without a window keep one vector for key and value.
  EXPECT_EQ(kv_of("google/gemma-4-26b-a4b", 1).bytes_per_token, 5 * 512 * 2 * 2);
  EXPECT_EQ(kv_of("nvidia/gemma-4-26b-a4b-nvfp4", 1).bytes_per_token, 5 * 512 * 2);  // FP8 cache
}

TEST(KvLayers, keep_of_a_request_what_their_kind_keeps) {
  KvLayers kv;
  kv.bytes_per_token = 10;
  kv.windowed = {{4, 30}, {8, 1}};
  kv.bytes_per_request = 7;
  EXPECT_EQ(kv.bytes_of_request(3), 3 * 41 + 7);
  EXPECT_EQ(kv.bytes_of_request(100), 100 * 10 + 4 * 30 + 8 + 7);
}

TEST(TokensThatFit, are_at_most_what_the_worst_mix_of_requests_leaves) {
  KvLayers kv;
  kv.bytes_per_token = 10;
  EXPECT_EQ(tokens_that_fit(kv, 1000, {5, 1}), 100);
  kv.windowed = {{4, 30}};
  EXPECT_EQ(tokens_that_fit(kv, 400, {5, 1}), 10);        // below 5 windows of 4: 40 bytes each
  EXPECT_EQ(tokens_that_fit(kv, 800, {5, 1}), 20);        // all windows full
  EXPECT_EQ(tokens_that_fit(kv, 1000, {5, 1}), 20 + 20);  // from there on 10 bytes each
  EXPECT_EQ(tokens_that_fit(kv, 1000, {1000, 1}), 25);    // so many requests: none is beyond it
  kv.bytes_per_token = 0;
  EXPECT_EQ(tokens_that_fit(kv, 500, {5, 1}), 500.0 / 30);
  EXPECT_TRUE(std::isinf(tokens_that_fit(kv, 600, {5, 1})));  // all five windows fit, for ever
}

TEST(TokensThatFit, count_windows_and_states_of_the_requests_that_are_there) {
  KvLayers kv;
  kv.bytes_per_token = 10;
  kv.bytes_per_request = 40;
  // Requests of 8 tokens: 15 bytes per token until 5 of them are there, then 10.
  EXPECT_EQ(tokens_that_fit(kv, 300, {5, 8}), 20);
  EXPECT_EQ(tokens_that_fit(kv, 700, {5, 8}), 40 + 10);
  kv.bytes_per_request = 0;
  kv.windowed = {{4, 30}};  // half of the 8
  EXPECT_EQ(tokens_that_fit(kv, 500, {5, 8}), 20);
  EXPECT_EQ(tokens_that_fit(kv, 1100, {5, 8}), 40 + 10);
}

}  // namespace
}  // namespace plimsoll
