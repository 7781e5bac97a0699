// Is the twin itself right? Small cases worked out by hand from the rules (and observed alike on
// the public reference simulator), for machines without its recorded runs. A step takes 1000 us
// plus 10 us per prompt token and 100 us per decoding request.
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "cluster/router.h"
#include "cluster/scorer.h"
#include "reference/cluster.h"
#include "reference/linear_model.h"
#include "reference/routing.h"

namespace plimsoll::reference {
namespace {

Request request_at(std::int64_t arrival_us, std::int32_t input, std::int32_t output) {
  static std::int64_t ids = 0;
  Request request;
  request.id = ids++;
  request.arrival = Time{} + microseconds(arrival_us);
  request.input_tokens = input;
  request.output_tokens = output;
  request.own_content = 1000 + static_cast<std::uint64_t>(request.id);
  return request;
}

Deployment known_deployment() {
  Deployment deployment;
  deployment.main().engine.max_num_seqs = 8;
  deployment.main().engine.max_num_batched_tokens = 256;
  deployment.main().engine.total_kv_blocks = 1000;
  deployment.main().step_time = std::make_shared<LinearModel>();
  return deployment;
}

int first_of(std::size_t, const std::vector<int>& tied, bool) { return tied.front(); }

Record run(const Deployment& deployment, const std::vector<Request>& requests,
           Time horizon = kNever) {
  return simulate(deployment, Semantics::blis(), requests, horizon, first_of);
}

// A policy under another name would no longer be compared with the twin.
TEST(TwinByHand, knows_no_policy_that_the_product_does_not_have) {
  for (const std::string& name : known_routers()) {
    EXPECT_EQ(std::ranges::count(routers(), name, &RouterRow::name), 1) << name;
  }
  for (const std::string& name : known_scorers()) {
    EXPECT_EQ(std::ranges::count(scorers(), name, &ScorerRow::name), 1) << name;
  }
}

TEST(TwinByHand, an_instance_that_ran_empty_is_idle_at_once) {
  const Record record = run(known_deployment(), {request_at(0, 100, 1), request_at(100, 100, 1)});
  EXPECT_EQ(record.requests[0].ttft, microseconds(2000));
  EXPECT_EQ(record.requests[1].ttft, microseconds(2000));  // not 3900
  EXPECT_EQ(record.instances[0].counters.end, Time{} + microseconds(2100));
}

TEST(TwinByHand, a_fully_cached_aligned_prompt_is_free) {
  const std::vector<PrefixSegment> shared{{7, 64}};
  std::vector<Request> requests{request_at(0, 64, 3), request_at(20000, 64, 3)};
  for (Request& request : requests) request.prefix = shared;
  const Record record = run(known_deployment(), requests);
  EXPECT_EQ(record.requests[0].ttft, microseconds(1640));
  EXPECT_EQ(record.requests[1].ttft, microseconds(1000));
  EXPECT_EQ(record.requests[1].e2e, microseconds(3200));
  EXPECT_EQ(record.instances[0].counters.cache_hit_blocks, 0);
}

TEST(TwinByHand, a_prompt_that_repeats_an_answer_hits_its_blocks) {
  std::vector<Request> requests{request_at(0, 20, 29), request_at(100000, 59, 3)};
  const std::vector<PrefixSegment> first{{7, 20}};
  const std::vector<PrefixSegment> second{{7, 20}, {requests[0].own_content, 29}};
  requests[0].prefix = first;
  requests[1].prefix = second;
  const Record record = run(known_deployment(), requests);
  EXPECT_EQ(record.instances[0].counters.cache_hit_blocks, 3);
  EXPECT_EQ(record.instances[0].counters.cache_miss_blocks, 5);
  EXPECT_EQ(record.requests[1].ttft, microseconds(1110));
}

TEST(TwinByHand, a_preempted_request_starts_again_in_front_of_the_queue) {
  // 4 blocks of 4: both prompts fit, then the first needs a third block and the second gives way.
  Deployment small = known_deployment();
  small.main().engine.total_kv_blocks = 4;
  small.main().engine.block_size = 4;
  const Record record = run(small, {request_at(0, 8, 3), request_at(0, 8, 3)});
  EXPECT_EQ(record.instances[0].counters.preemptions, 1);
  EXPECT_EQ(record.requests[0].e2e, microseconds(1160 + 1100 + 1100));
  EXPECT_EQ(record.requests[1].outcome, Outcome::completed);
  // Admitted when the first has left; the front one of its two blocks has survived.
  EXPECT_EQ(record.requests[1].scheduling_delay, microseconds(3360));
  EXPECT_EQ(record.requests[1].ttft, microseconds(3360 + 1040));
  EXPECT_EQ(record.requests[1].e2e, microseconds(3360 + 1040 + 1100 + 1100));
}

TEST(TwinByHand, a_completion_wins_over_a_deadline_of_the_same_time) {
  std::vector<Request> requests{request_at(0, 100, 2), request_at(0, 100, 50)};
  requests[0].deadline = Time{} + microseconds(3000);  // its second step starts then
  requests[1].deadline = Time{} + microseconds(4000);  // in the middle of a step
  const Record record = run(known_deployment(), requests);
  EXPECT_EQ(record.requests[0].outcome, Outcome::completed);
  EXPECT_EQ(record.requests[1].outcome, Outcome::timed_out);
  EXPECT_EQ(record.requests[1].ttft, microseconds(3000));
  EXPECT_EQ(record.requests[1].e2e, kNoDuration);
  // The step that was due finds nothing, but moves the clock.
  EXPECT_EQ(record.instances[0].counters.end, Time{} + microseconds(4200));
}

TEST(TwinByHand, a_request_stops_at_the_maximum_length) {
  Deployment capped = known_deployment();
  capped.main().engine.max_model_len = 128;
  const Record record = run(capped, {request_at(0, 100, 60)});
  EXPECT_EQ(record.requests[0].outcome, Outcome::length_capped);
  EXPECT_EQ(record.requests[0].generated_tokens, 28);
  EXPECT_EQ(record.requests[0].itl.size(), 27u);
  EXPECT_EQ(record.requests[0].e2e, microseconds(31700));
}

TEST(TwinByHand, nothing_happens_past_the_horizon) {
  const Time horizon = Time{} + microseconds(2500);
  const Record record =
      run(known_deployment(), {request_at(0, 100, 5), request_at(2501, 1, 1)}, horizon);
  EXPECT_EQ(record.requests[0].outcome, Outcome::unfinished);
  EXPECT_EQ(record.requests[0].ttft, microseconds(2000));
  EXPECT_EQ(record.requests[1].instance, -1);
  EXPECT_EQ(record.instances[0].counters.steps, 2);
  EXPECT_EQ(record.instances[0].counters.end, Time{} + microseconds(2000));
}

TEST(TwinByHand, a_router_sees_nothing_but_its_own_decisions_before_the_first_refresh) {
  Deployment two = known_deployment();
  two.main().num_instances = 2;
  two.router = "least-loaded";
  const std::vector<Request> requests{request_at(0, 100, 100), request_at(5000, 100, 9),
                                      request_at(5000, 100, 9)};
  const auto instance_of_last = [&](Duration interval) {
    two.snapshot_refresh_interval = interval;
    const Record record = run(two, requests);
    EXPECT_EQ(record.requests[0].instance, 0);
    EXPECT_EQ(record.requests[1].instance, 1);
    return record.requests[2].instance;
  };
  EXPECT_EQ(instance_of_last(milliseconds(50)), 0);  // one in flight each: a tie
  EXPECT_EQ(instance_of_last(Duration{}), 1);        // the running request counts twice
}

TEST(TwinByHand, a_token_bucket_starts_full_and_charges_prompts) {
  Deployment limited = known_deployment();
  limited.admission = "token-bucket";
  limited.parameters["token-bucket-capacity"] = 100;
  limited.parameters["token-bucket-refill-rate"] = 1000;  // a token per millisecond
  const Record record = run(limited, {request_at(0, 80, 1), request_at(10000, 40, 1),
                                      request_at(10000, 30, 1), request_at(10001, 1, 1)});
  EXPECT_EQ(record.requests[1].outcome, Outcome::rejected);
  EXPECT_EQ(record.requests[2].outcome, Outcome::completed);
  EXPECT_EQ(record.requests[3].outcome, Outcome::rejected);
  EXPECT_EQ(record.rejected_admission, 2);
}

}  // namespace
}  // namespace plimsoll::reference
