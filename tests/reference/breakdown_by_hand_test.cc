// Where did the time of a request go? Small runs of the engine worked out by hand from
// metrics/breakdown.h. A step takes 1000 us plus 10 us per prompt token and 100 us per decoding
// request.
#include "metrics/breakdown.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <memory>

#include "reference/case.h"
#include "reference/product_run.h"

namespace plimsoll::reference {
namespace {

Semantics synchronous() {
  Semantics semantics = Semantics::vllm();
  semantics.asynchronous_scheduling = false;
  return semantics;
}

Case case_with(std::int64_t blocks, std::int64_t block_size, std::int64_t budget,
               const Semantics& semantics) {
  Case c;
  c.semantics = semantics;
  c.deployment.main().engine.total_kv_blocks = blocks;
  c.deployment.main().engine.block_size = block_size;
  c.deployment.main().engine.max_num_batched_tokens = budget;
  return c;
}

CaseRequest at(std::int64_t arrival_us, std::int32_t input_tokens, std::int32_t output_tokens) {
  CaseRequest request;
  request.arrival_us = arrival_us;
  request.input_tokens = input_tokens;
  request.output_tokens = output_tokens;
  return request;
}

RequestTable run(const Case& c) {
  Deployment deployment = c.deployment;
  deployment.main().step_time = std::make_shared<LinearModel>(c.model);
  return run_product(c, deployment, requests_of(c)).record.requests;
}

struct PartsUs {
  std::int64_t gateway, queue, prefill, prefill_stall, decode, preemption;
};

void expect_parts(const RequestTable& table, std::size_t row, const PartsUs& us) {
  const Breakdown b = breakdown_of(table, row);
  EXPECT_EQ(b.gateway, microseconds(us.gateway));
  EXPECT_EQ(b.queue, microseconds(us.queue));
  EXPECT_EQ(b.prefill, microseconds(us.prefill));
  EXPECT_EQ(b.prefill_stall, microseconds(us.prefill_stall));
  EXPECT_EQ(b.decode, microseconds(us.decode));
  EXPECT_EQ(b.preemption, microseconds(us.preemption));
  EXPECT_EQ(b.total(), table.e2e[row]);
}

TEST(Breakdown, which_part_is_whose_in_a_mixed_step) {
  for (const Semantics& semantics : {synchronous(), Semantics::blis()}) {
    Case c = case_with(1000, 16, 256, semantics);
    c.deployment.admission_latency = microseconds(20);
    c.deployment.routing_latency = microseconds(30);
    c.model.queueing = 50;
    c.model.output_token = 7;
    c.model.post_decode = 3;
    c.requests = {at(0, 100, 3), at(100, 100, 1)};
    const RequestTable table = run(c);
    // Steps: 100 to 2100 with the first prompt, to 4200 with the second one and a decode, to 5300.
    // Tokens of the first request appear 7 us later; the reference adds that to each gap.
    const std::int64_t twice = semantics.true_gaps ? 0 : 2 * 7;
    expect_parts(table, 0, {100, 0, 2007, 1000, 1100 + 1100 + 3 + twice, 0});
    expect_parts(table, 1, {100, 1900, 2107, 0, 3, 0});
  }
}

TEST(Breakdown, an_asynchronous_engine_lets_the_running_step_end_first) {
  Case c = case_with(1000, 16, 256, Semantics::vllm());
  c.requests = {at(0, 100, 4), at(100, 100, 1)};
  const RequestTable table = run(c);
  // Enters at 100, is put at 2000 into the batch that starts at 3100 and ends at 5200.
  expect_parts(table, 1, {0, 1900, 3200, 0, 0, 0});
  expect_parts(table, 0, {0, 0, 2000, 1000, 3 * 1100, 0});
}

TEST(Breakdown, a_gap_over_a_preemption_is_lost) {
  // 4 blocks of 4: both prompts fit, then the first needs a third block and the second gives way.
  for (const Semantics& semantics : {synchronous(), Semantics::vllm()}) {
    Case c = case_with(4, 4, 256, semantics);
    c.requests = {at(0, 8, 3), at(0, 8, 3)};
    const RequestTable table = run(c);
    expect_parts(table, 0, {0, 0, 1160, 0, 2200, 0});
    // Tokens at 1160, at 4410 (5 of 9 tokens computed again when the first has left) and 5510.
    expect_parts(table, 1, {0, 0, 1160, 0, 1100, 3250});
  }
}

TEST(Breakdown, an_attempt_that_starts_over_is_lost_whole) {
  Case c = case_with(4, 4, 256, Semantics::blis());
  c.requests = {at(0, 8, 3), at(0, 8, 3)};
  const RequestTable table = run(c);
  expect_parts(table, 0, {0, 0, 1160, 0, 2200, 0});
  expect_parts(table, 1, {0, 0, 1040, 0, 2200, 3360});
}

TEST(Breakdown, an_attempt_without_a_token_is_lost_whole) {
  Case c = case_with(6, 1, 3, synchronous());
  c.requests = {at(0, 2, 4), at(0, 4, 1)};
  // The second prompt gets one token in the first step and two in the next one; then the first
  // request needs a block. It leaves after 1030 + 1120 + 1100 + 1100 us; one token is still cached.
  expect_parts(run(c), 0, {0, 0, 1030, 20, 3300, 0});
  expect_parts(run(c), 1, {0, 0, 1030, 0, 0, 4350});

  c.semantics = Semantics::blis();  // the first one's last token evicts that
  expect_parts(run(c), 1, {0, 0, 1030 + 1010, 0, 0, 4350});
}

TEST(Breakdown, a_request_that_never_completed_has_none) {
  Case c = case_with(1000, 16, 256, Semantics::vllm());
  c.requests = {at(0, 100, 50)};
  c.requests[0].deadline_us = 5000;
  const RequestTable table = run(c);
  ASSERT_EQ(table.outcome[0], Outcome::timed_out);
  EXPECT_EQ(breakdown_of(table, 0).total(), Duration{});
}

}  // namespace
}  // namespace plimsoll::reference
