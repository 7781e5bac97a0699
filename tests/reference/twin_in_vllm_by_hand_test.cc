// Is the twin right in the default semantics? Small cases worked out by hand from
// docs/explanation/semantics.md. A step takes 1000 us plus 10 us per prompt token and 100 us per
// decoding request.
#include <gtest/gtest.h>

#include <memory>
#include <vector>

#include "reference/cluster.h"
#include "reference/linear_model.h"

namespace plimsoll::reference {
namespace {

Request arriving_at(std::int64_t arrival_us, std::int32_t input, std::int32_t output) {
  static std::int64_t ids = 0;
  Request request;
  request.id = ids++;
  request.arrival = Time{} + microseconds(arrival_us);
  request.input_tokens = input;
  request.output_tokens = output;
  request.own_content = 1000 + static_cast<std::uint64_t>(request.id);
  return request;
}

Deployment deployment(std::int64_t blocks = 1000, std::int64_t block_size = 16) {
  Deployment deployment;
  deployment.main().engine.max_num_seqs = 8;
  deployment.main().engine.max_num_batched_tokens = 256;
  deployment.main().engine.total_kv_blocks = blocks;
  deployment.main().engine.block_size = block_size;
  deployment.main().step_time = std::make_shared<LinearModel>();
  return deployment;
}

Semantics synchronous_vllm() {
  Semantics semantics = Semantics::vllm();
  semantics.asynchronous_scheduling = false;
  return semantics;
}

Record run_in_vllm(const Deployment& deployment, const std::vector<Request>& requests,
                   const Semantics& semantics = Semantics::vllm(), Time horizon = kNever) {
  return simulate(deployment, semantics, requests, horizon, nullptr);
}

TEST(TwinInVllmByHand, a_request_misses_the_batch_that_is_decided_already) {
  const std::vector<Request> requests{arriving_at(0, 100, 10), arriving_at(100, 100, 1)};
  const Record record = run_in_vllm(deployment(), requests);
  // Decided on when step 2 starts at 2000, prefilled in step 3 from 3100 to 5200.
  EXPECT_EQ(record.requests[1].scheduling_delay, microseconds(1900));
  EXPECT_EQ(record.requests[1].ttft, microseconds(5100));
}

TEST(TwinInVllmByHand, the_synchronous_engine_takes_it_one_step_earlier) {
  const std::vector<Request> requests{arriving_at(0, 100, 10), arriving_at(100, 100, 1)};
  const Record record = run_in_vllm(deployment(), requests, synchronous_vllm());
  EXPECT_EQ(record.requests[1].scheduling_delay, microseconds(1900));
  EXPECT_EQ(record.requests[1].ttft, microseconds(4000));
}

TEST(TwinInVllmByHand, an_instance_is_busy_until_its_last_step_ends) {
  const std::vector<Request> requests{arriving_at(0, 100, 1), arriving_at(100, 100, 1)};
  for (const Semantics& semantics : {Semantics::vllm(), synchronous_vllm()}) {
    const Record record = run_in_vllm(deployment(), requests, semantics);
    EXPECT_EQ(record.requests[1].ttft, microseconds(3900));
    EXPECT_EQ(record.instances[0].counters.end, Time{} + microseconds(4000));
  }
}

TEST(TwinInVllmByHand, a_finished_sequence_keeps_its_place_until_its_step_ends) {
  Deployment one = deployment();
  one.main().engine.max_num_seqs = 1;
  const Record record = run_in_vllm(one, {arriving_at(0, 100, 2), arriving_at(0, 100, 1)});
  // Nothing is decided at 2000; at 3100 the engine looks again.
  EXPECT_EQ(record.requests[1].scheduling_delay, microseconds(3100));
  EXPECT_EQ(record.requests[1].ttft, microseconds(5100));
}

TEST(TwinInVllmByHand, a_preempted_request_goes_on_where_it_was) {
  // 4 blocks of 4: both prompts fit, then the first needs a third block and the second gives way.
  const std::vector<Request> requests{arriving_at(0, 8, 3), arriving_at(0, 8, 3)};
  for (const Semantics& semantics : {Semantics::vllm(), synchronous_vllm()}) {
    const Record record = run_in_vllm(deployment(4, 4), requests, semantics);
    EXPECT_EQ(record.instances[0].counters.preemptions, 1);
    EXPECT_EQ(record.requests[0].e2e, microseconds(1160 + 1100 + 1100));
    // Back when the first has left: 9 tokens to prefill, of which 4 have survived.
    EXPECT_EQ(record.requests[1].scheduling_delay, Duration{});
    EXPECT_EQ(record.requests[1].ttft, microseconds(1160));
    const std::vector<Duration> gaps{microseconds(2200 + 1050), microseconds(1100)};
    EXPECT_EQ(record.requests[1].itl, gaps);
    EXPECT_EQ(record.requests[1].e2e, microseconds(1160 + 3250 + 1100));
    EXPECT_EQ(record.instances[0].counters.cache_hit_blocks, 1);
    EXPECT_EQ(record.used_blocks_at_end, 0);
  }
}

TEST(TwinInVllmByHand, gaps_of_requests_that_never_complete_count) {
  const Time horizon = Time{} + microseconds(3500);
  const Record record =
      run_in_vllm(deployment(), {arriving_at(0, 100, 50)}, Semantics::vllm(), horizon);
  // Tokens at 2000, 3100 and, of the step that is running at the end, 4200.
  const std::vector<Duration> gaps{microseconds(1100), microseconds(1100)};
  EXPECT_EQ(record.instances[0].itl, gaps);
  EXPECT_EQ(record.requests[0].outcome, Outcome::unfinished);
}

TEST(TwinInVllmByHand, a_deadline_in_the_last_step_is_not_met) {
  std::vector<Request> requests{arriving_at(0, 100, 2), arriving_at(0, 100, 2)};
  requests[0].deadline = Time{} + microseconds(4100);  // in the middle of the second step
  requests[1].deadline = Time{} + microseconds(4200);  // at its end
  const Record record = run_in_vllm(deployment(), requests);
  EXPECT_EQ(record.requests[0].outcome, Outcome::timed_out);
  EXPECT_EQ(record.requests[0].ttft, microseconds(3000));
  EXPECT_EQ(record.requests[1].outcome, Outcome::completed);
  EXPECT_EQ(record.used_blocks_at_end, 0);
}

TEST(TwinInVllmByHand, a_batch_goes_on_without_a_request_that_left) {
  std::vector<Request> requests{arriving_at(0, 16, 5), arriving_at(0, 16, 3)};
  requests[0].deadline = Time{} + microseconds(1500);  // in step 2; has a block for step 3
  const Record record = run_in_vllm(deployment(), requests);
  EXPECT_EQ(record.requests[1].e2e, microseconds(1320 + 1200 + 1100));
  EXPECT_EQ(record.used_blocks_at_end, 0);
}

TEST(TwinInVllmByHand, the_last_token_of_a_cached_prompt_is_computed) {
  const std::vector<PrefixSegment> shared{{7, 64}};
  std::vector<Request> requests{arriving_at(0, 64, 3), arriving_at(20000, 64, 3)};
  for (Request& request : requests) request.prefix = shared;
  Deployment with_context = deployment();
  LinearModel model;
  model.per_prefill_context = 1;
  with_context.main().step_time = std::make_shared<LinearModel>(model);
  const Record record = run_in_vllm(with_context, requests);
  EXPECT_EQ(record.instances[0].counters.cache_hit_blocks, 3);
  EXPECT_EQ(record.requests[1].ttft, microseconds(1000 + 16 * 10 + 48));

  with_context.main().engine.prefix_caching = false;
  const Record without_cache = run_in_vllm(with_context, requests);
  EXPECT_EQ(without_cache.instances[0].counters.cache_hit_blocks, 0);
  EXPECT_EQ(without_cache.requests[1].ttft, microseconds(1640));
}

TEST(TwinInVllmByHand, what_the_cache_cannot_hold_is_refused) {
  const Record record =
      run_in_vllm(deployment(4, 4), {arriving_at(0, 8, 9), arriving_at(0, 8, 10)});
  EXPECT_EQ(record.requests[0].outcome, Outcome::completed);
  EXPECT_EQ(record.requests[1].outcome, Outcome::dropped);

  Deployment capped = deployment(4, 4);
  capped.main().engine.max_model_len = 17;  // the seventeenth token is not read again
  EXPECT_EQ(run_in_vllm(capped, {arriving_at(0, 8, 100)}).requests[0].outcome,
            Outcome::length_capped);
}

}  // namespace
}  // namespace plimsoll::reference
