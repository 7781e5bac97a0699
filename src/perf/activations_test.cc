#include "perf/loaded_weights.h"

#include <gtest/gtest.h>

#include "catalog/catalog.h"

namespace plimsoll {
namespace {

double gib(const ModelConfig& model, const Parallelism& parallelism, std::int64_t tokens,
           std::int64_t requests) {
  return activation_bytes(model, parallelism, tokens, requests, LogitSampler::sorts) / (1 << 30);
}

// Peaks that llm-d measured with vLLM's defaults on H100: 8,192 tokens of 1,024 requests
// (llm-d-benchmark, config_explorer/empirical-vllm-memory-results.md).
TEST(Activations, are_within_one_percent_of_measured_peaks) {
  struct Measured {
    const char* model;
    std::int64_t tp;
    double gib;
  };
  for (const Measured& m :
       {Measured{"meta-llama/llama-3.1-8b-instruct", 1, 4.76},
        Measured{"meta-llama/llama-3.3-70b-instruct", 1, 4.84},
        Measured{"meta-llama/llama-3.3-70b-instruct", 2, 4.84}, Measured{"qwen/qwen3-32b", 1, 5.64},
        Measured{"openai/gpt-oss-20b", 1, 7.38}, Measured{"openai/gpt-oss-120b", 1, 7.38}}) {
    const auto model = find_model(m.model);
    ASSERT_TRUE(model.has_value()) << m.model;
    Parallelism parallelism;
    parallelism.tp = m.tp;
    EXPECT_NEAR(gib(model->config, parallelism, 8192, 1024), m.gib, 0.01 * m.gib) << m.model;
  }
}

TEST(Activations, of_few_requests_are_those_of_the_widest_layer) {
  const ModelConfig dense = find_model("meta-llama/llama-3.1-8b-instruct")->config;
  Parallelism parallelism;
  parallelism.tp = 4;
  EXPECT_EQ(activation_bytes(dense, parallelism, 8192, 1, LogitSampler::sorts),
            8192 * 2.0 * (2 * 4096 + 3 * 14336 / 4.0));

  // Eight experts of width 768 per token, whose outputs are as wide as the model.
  const ModelConfig experts = find_model("qwen/qwen3-30b-a3b")->config;
  EXPECT_EQ(activation_bytes(experts, {}, 8192, 1, LogitSampler::sorts),
            8192 * 2.0 * (2 * 2048 + 8 * (2048 + 768)));
}

TEST(Activations, of_experts_are_bounded_by_the_portions_they_are_fed_in) {
  const ModelConfig model = find_model("qwen/qwen3-30b-a3b")->config;
  Parallelism ranks;
  ranks.dp = 4;
  ranks.ep = 4;
  EXPECT_EQ(activation_bytes(model, ranks, 8192, 1, LogitSampler::sorts),
            2.0 * (2 * 8192 * 2048 + 16384 * 8 * (2048 + 768)));
}

}  // namespace
}  // namespace plimsoll
