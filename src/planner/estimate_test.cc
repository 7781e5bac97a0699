#include "planner/estimate.h"

#include <gtest/gtest.h>

#include "known_system.h"

namespace plimsoll {
namespace {

/// 10 ms a step, 0.1 ms per decoding request, 0.02 ms per prompt token.
reference::LinearModel law() {
  reference::LinearModel model;
  model.step = 10'000;
  model.per_prefill_token = 20;
  model.per_decode_request = 100;
  return model;
}

EngineConfig roomy() {
  EngineConfig engine;
  engine.max_num_seqs = 100;
  engine.max_num_batched_tokens = 8'192;
  engine.total_kv_blocks = 1'000'000;
  return engine;
}

// Prompt = answer: each request brings one prompt token per step.
constexpr TokenShape kShape{200, 200, 300};

TEST(Estimate, is_it_what_a_calculator_says) {
  // 100 places: 10 + 100 x 0.1 + 100 x 0.02 = 22 ms; 100 / 200 steps of it are done.
  const CapacityEstimate e = estimate_capacity(law(), roomy(), kShape);
  EXPECT_EQ(e.batch, 100);
  EXPECT_EQ(e.limit, EstimateLimit::places);
  EXPECT_DOUBLE_EQ(e.step_ms, 22);
  EXPECT_DOUBLE_EQ(e.rate_rps, 100.0 / 200 / 0.022);
  EXPECT_NEAR(e.prefill_share, 2.0 / 22, 1e-12);
}

TEST(Estimate, does_memory_limit_the_batch) {
  EngineConfig engine = roomy();
  engine.total_kv_blocks = 20 * 25;  // a request holds (300 + 8) / 16 = 20 blocks
  const CapacityEstimate e = estimate_capacity(law(), engine, kShape);
  EXPECT_EQ(e.batch, 25);
  EXPECT_EQ(e.limit, EstimateLimit::memory);
}

TEST(Estimate, do_tokens_per_step_limit_the_batch) {
  EngineConfig engine = roomy();
  engine.max_num_batched_tokens = 80;  // each takes 1 + 200 / 200
  const CapacityEstimate e = estimate_capacity(law(), engine, kShape);
  EXPECT_EQ(e.batch, 40);
  EXPECT_EQ(e.limit, EstimateLimit::step_tokens);
}

TEST(Estimate, does_a_limit_on_gaps_limit_the_batch) {
  // 10 + b x 0.12 <= 16
  const CapacityEstimate e = estimate_capacity(law(), roomy(), kShape, milliseconds(16));
  EXPECT_EQ(e.batch, 50);
  EXPECT_EQ(e.limit, EstimateLimit::latency);
  EXPECT_EQ(estimate_capacity(law(), roomy(), kShape, milliseconds(1)).batch, 1);
}

TEST(Estimate, are_lengths_those_of_the_traffic) {
  const auto lengths = [](std::int64_t i, Request* request) {
    request->input_tokens = 100;
    request->output_tokens = i % 2 == 0 ? 100 : 300;
  };
  const auto shape = token_shape(test::single_servers("", 1, lengths).load);
  ASSERT_TRUE(shape);
  EXPECT_DOUBLE_EQ(shape->prompt, 100);
  EXPECT_DOUBLE_EQ(shape->answer, 200);
  // A quarter of all steps sees 100 + 50 tokens, three quarters 100 + 150.
  EXPECT_DOUBLE_EQ(shape->context, 0.25 * 150 + 0.75 * 250);
}

TEST(Estimate, is_traffic_without_requests_an_error) {
  const auto nothing = [](double, std::int64_t) -> Result<Load> {
    Load load;
    load.source = std::make_unique<test::PromptSource>(1, 0, 1, nullptr);
    return load;
  };
  EXPECT_FALSE(token_shape(nothing));
}

TEST(Estimate, is_the_first_run_long_enough_for_many_and_for_one) {
  CapacityEstimate e;
  e.batch = 100;
  EXPECT_EQ(requests_to_settle(e, 1), 40'000);
  EXPECT_EQ(requests_to_settle(e, 100), 250'000);
}

TEST(Estimate, is_the_strictest_limit_on_gaps_found) {
  EXPECT_EQ(strictest_gap(*parse_slos("", "ttft_p99<1ms")), kNoDuration);
  EXPECT_EQ(strictest_gap(*parse_slos("", "itl_p99<30ms,tpot_mean<20ms")), milliseconds(20));
}

}  // namespace
}  // namespace plimsoll
