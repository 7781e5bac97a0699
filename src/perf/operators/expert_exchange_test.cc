#include "perf/operators/expert_exchange.h"

#include <gtest/gtest.h>

#include "catalog/catalog.h"

namespace plimsoll {
namespace {

/// Of a layer of DeepSeek-R1 in FP4 or blocks of FP8, for so many rows on each rank.
double layer_us(const char* gpu, Engine engine, MoeCommFamily family, MatrixFormat format,
                std::int64_t ranks, double rows_of_rank) {
  Mlp experts;
  experts.kind = MlpKind::experts;
  experts.experts = 256;
  experts.experts_per_token = 8;
  Parallelism layout;
  layout.dp = layout.ep = ranks;
  layout.moe_comm = family;
  WeightFormat weights;
  weights.math = format;
  const Device device = *device_of(*find_gpu(gpu, SemanticsMode::vllm), engine);
  const ExpertExchange exchange(experts, 7168, weights, layout, device);
  return exchange.us(rows_of_rank * static_cast<double>(ranks));
}

TEST(ExpertExchange, takes_what_was_measured) {
  using enum MoeCommFamily;
  // aiconfigurator's trtllm_alltoall on GB200, one-sided: 8, 16 and 32 ranks.
  const auto trtllm = [](std::int64_t ranks, double rows) {
    return layer_us("GB200", Engine::trtllm, copy_per_rank, MatrixFormat::fp4, ranks, rows);
  };
  EXPECT_NEAR(trtllm(8, 1024), 253, 0.25 * 253);
  EXPECT_NEAR(trtllm(16, 256), 94, 0.15 * 94);
  EXPECT_NEAR(trtllm(32, 256), 101, 0.15 * 101);
  EXPECT_NEAR(trtllm(32, 4096), 965, 0.15 * 965);
  // Its wideep_deepep_ll and _normal on 8 H200.
  const auto deepep = [](MoeCommFamily family, double rows) {
    return layer_us("H200", Engine::sglang, family, MatrixFormat::fp8_blocks, 8, rows);
  };
  EXPECT_NEAR(deepep(copy_per_expert, 16), 33, 0.25 * 33);
  EXPECT_NEAR(deepep(copy_per_expert, 256), 185, 0.15 * 185);
  EXPECT_NEAR(deepep(copy_per_rank, 256), 184, 0.15 * 184);
  EXPECT_NEAR(deepep(copy_per_rank, 4096), 1481, 0.15 * 1481);
  EXPECT_EQ(deepep(cheaper_copy, 16), deepep(copy_per_expert, 16));
  EXPECT_EQ(deepep(cheaper_copy, 4096), deepep(copy_per_rank, 4096));
}

TEST(ExpertExchange, goes_over_the_network_beyond_a_node) {
  const auto us = [](const char* gpu, std::int64_t ranks) {
    return layer_us(gpu, Engine::sglang, MoeCommFamily::copy_per_expert, MatrixFormat::fp8_blocks,
                    ranks, 128);
  };
  EXPECT_GT(us("H200", 16), us("H200", 8) + 2 * kNetworkUs);
  EXPECT_LT(us("GB200", 32), 1.3 * us("GB200", 8));  // a rack is one domain
}

}  // namespace
}  // namespace plimsoll
