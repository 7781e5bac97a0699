#include "report/answer/reasons.h"

#include <gtest/gtest.h>

#include "metrics/summary.h"
#include "metrics/warmup.h"
#include "run_record_maker.h"

namespace plimsoll {
namespace {

using test::add_row;

// Requests of 100 ms each, one every 100 ms: the first `served` of 20 complete.
RunRecord twenty_requests(int served, Outcome outcome_of_others) {
  RunRecord record;
  for (int i = 0; i < 20; ++i) {
    const double at = 100.0 * i;
    if (i < served) {
      add_row(&record, {.arrival = at, .delay = 0, .ttft = 10, .e2e = 100});
    } else {
      add_row(&record, {.arrival = at, .outcome = outcome_of_others, .instance = -1});
    }
  }
  return record;
}

// Of a run that is long enough to act on.
Bottleneck bottleneck_of(const RunRecord& record, const Deployment& deployment = {}) {
  Summary summary = summarize(record);
  summary.steady_state.verdict = SteadyVerdict::steady;
  return find_bottleneck(record, summary, deployment);
}

TEST(EntryLimits, admission_binds_when_it_turns_many_away) {
  RunRecord record = twenty_requests(19, Outcome::rejected);
  record.rejected_admission = 1;
  record.instances[0].preemptions = 5;
  EXPECT_EQ(name_of(bottleneck_of(record).limit), "memory");  // 5 % are few
  record.instances[0].preemptions = 0;
  EXPECT_EQ(name_of(bottleneck_of(record).limit), "admission");  // but all there is
  record = twenty_requests(18, Outcome::rejected);
  record.rejected_admission = 2;
  EXPECT_EQ(name_of(bottleneck_of(record).limit), "admission");
  EXPECT_EQ(reason_text(bottleneck_of(record)), "admission turned away 2 of 20 requests");
}

TEST(EntryLimits, the_lever_of_admission_is_a_flag_of_its_policy) {
  RunRecord record = twenty_requests(10, Outcome::rejected);
  record.rejected_admission = 10;
  const auto lever = [&](const std::string& policy) {
    Deployment deployment;
    deployment.admission = policy;
    return lever_text(bottleneck_of(record, deployment));
  };
  EXPECT_EQ(lever("reject-all"), "let some in: --admission-policy always-admit");
  EXPECT_NE(lever("token-bucket").find("let more in: --token-bucket-refill-rate "),
            std::string::npos);
  EXPECT_EQ(lever("tier-shed"),
            "try --num-instances 2 instead of 1; or let more in "
            "(--tier-shed-threshold)");
  EXPECT_NE(lever("gaie-legacy").find("--gaie-kv-threshold"), std::string::npos);
  EXPECT_NE(lever("always-admit").find("--tenant-budgets"), std::string::npos);
}

TEST(EntryLimits, a_model_that_is_not_deployed_is_named) {
  RunRecord record = twenty_requests(0, Outcome::rejected);
  record.instances.resize(1);
  record.rejected_routing = 20;
  EXPECT_EQ(judge_record(record).verdict, SteadyVerdict::no_load);
  EXPECT_EQ(reason_text(judge_record(record)),
            "no instance serves the model of any of the 20 requests");
  EXPECT_EQ(name_of(bottleneck_of(record).limit), "routing");
  EXPECT_EQ(reason_text(bottleneck_of(record)),
            "20 of 20 requests ask for a model that is not deployed");
}

TEST(EntryLimits, deadlines_bind_when_many_requests_run_out_of_time) {
  RunRecord record = twenty_requests(10, Outcome::timed_out);
  record.instances[0].timed_out = 10;
  EXPECT_EQ(name_of(bottleneck_of(record).limit), "deadlines");
  EXPECT_EQ(lever_text(bottleneck_of(record)),
            "more time (--timeout) or faster answers (a higher --tp, another --hardware): the "
            "instances have room");
  EXPECT_TRUE(bottleneck_of(record).by_deadline_alone);
  record.instances[0].preemptions = 5;
  EXPECT_EQ(lever_text(bottleneck_of(record)),
            "try --num-instances 2 instead of 1; or more time (--timeout)");
  EXPECT_FALSE(bottleneck_of(record).by_deadline_alone);
}

TEST(EntryLimits, the_cause_of_most_losses_counts) {
  RunRecord record = twenty_requests(18, Outcome::shed);
  record.rejected_admission = 1;
  record.gateway.expired = 1;
  EXPECT_EQ(name_of(bottleneck_of(record).limit), "admission");
  record.gateway.shed = 1;
  EXPECT_EQ(name_of(bottleneck_of(record).limit), "gateway");
  EXPECT_EQ(reason_text(bottleneck_of(record)), "it gave up 2 of 20 requests");
}

// All of them wait at the gateway for `wait_ms` of their 100.
RunRecord through_a_gateway(int wait_ms) {
  RunRecord record = twenty_requests(20, Outcome::completed);
  for (std::size_t i = 0; i < 20; ++i) {
    record.requests.phases[i].gateway = milliseconds(wait_ms);
    record.requests.scheduling_delay[i] = milliseconds(wait_ms);
  }
  record.gateway.entered = record.gateway.dispatched = 20;
  record.gateway.total_wait = milliseconds(20 * wait_ms);
  record.instances[0].max_num_seqs = 256;
  return record;
}

TEST(EntryLimits, the_gateway_binds_when_requests_spend_long_in_it) {
  Deployment deployment;
  deployment.flow_control.enabled = true;
  deployment.flow_control.signal = "concurrency";
  deployment.parameters["max-concurrency"] = 2;
  EXPECT_EQ(name_of(bottleneck_of(through_a_gateway(10), deployment).limit), "none");
  const Bottleneck b = bottleneck_of(through_a_gateway(11), deployment);
  EXPECT_EQ(name_of(b.limit), "gateway");
  EXPECT_EQ(reason_text(b),
            "requests wait for 11.0 % of their time at the gateway (11.0 ms on average)");
  EXPECT_EQ(lever_text(b),
            "the instances have room: let more through, --max-concurrency 3 instead of 2, and more "
            "instances if such batches are too "
            "slow");
  deployment.flow_control.signal = "utilization";
  EXPECT_EQ(lever_text(bottleneck_of(through_a_gateway(11), deployment)),
            "the instances have room: let more through, a higher --queue-depth-threshold or "
            "--kv-cache-util-threshold");
}

// Ten requests per second, two at a time with 30 ms for a token; alone it takes 25 ms. All of them
// together are four, who get a token in 40 ms, and 2 x the root of 4 / (1 - 10 x 10 x 5 ms) more.
TEST(EntryLimits, a_gateway_is_to_let_in_as_many_as_there_are_when_they_slow_each_other) {
  RunRecord record;
  for (int i = 0; i < 20; ++i) {
    add_row(&record, {.arrival = 100.0 * i, .delay = 500, .ttft = 500, .e2e = 800});
    record.requests.phases.back().gateway = milliseconds(500);
  }
  record.gateway.entered = record.gateway.dispatched = 20;
  record.gateway.total_wait = seconds(10);
  InstanceRecord& r = record.instances[0];
  r.max_num_seqs = 256;
  r.steps = 50;
  r.batch_request_steps = r.decode_tokens = 100;
  r.busy = milliseconds(50 * 30);
  r.lone_decode_step = milliseconds(25);
  Deployment deployment;
  deployment.flow_control.enabled = true;
  deployment.flow_control.signal = "concurrency";
  deployment.parameters["max-concurrency"] = 2;
  EXPECT_NE(lever_text(bottleneck_of(record, deployment)).find("--max-concurrency 10 instead of 2"),
            std::string::npos)
      << lever_text(bottleneck_of(record, deployment));
  r.max_num_seqs = 3;
  EXPECT_EQ(lever_text(bottleneck_of(record, deployment)), "try --num-instances 2 instead of 1");
}

TEST(EntryLimits, a_gateway_before_full_instances_asks_for_more_of_them) {
  RunRecord record = through_a_gateway(50);
  record.instances[0].preemptions = 5;
  EXPECT_EQ(lever_text(bottleneck_of(record)), "try --num-instances 2 instead of 1");
}

TEST(EntryLimits, what_never_left_the_gateway_counts) {
  RunRecord record = twenty_requests(10, Outcome::unfinished);
  record.gateway.still_queued = 10;
  EXPECT_EQ(name_of(bottleneck_of(record).limit), "gateway");
  EXPECT_EQ(reason_text(bottleneck_of(record)), "10 of 20 requests are still there");
}

TEST(EntryLimits, latency_before_the_instances_is_told_from_waiting) {
  RunRecord record = through_a_gateway(80);
  record.gateway = {};
  EXPECT_EQ(name_of(bottleneck_of(record).limit), "none");  // an overhead of the step-time model
  Deployment deployment;
  deployment.admission_latency = milliseconds(80);
  const Bottleneck b = bottleneck_of(record, deployment);
  EXPECT_EQ(name_of(b.resource), "gateway latency");
  EXPECT_EQ(reason_text(b),
            "admission and routing take 80.0 ms of the mean request time of 100 ms");
}

TEST(Levers, of_a_load_that_is_held_are_for_latencies) {
  Limit limit{LimitKind::compute, ShortResource::decode_bandwidth, {}, {Remedy::more_memory, 2.0}};
  limit.holds_anyway = true;
  EXPECT_EQ(lever_text(limit).find("none needed; for lower latencies, more KV memory"), 0U);
  EXPECT_TRUE(needs_nothing(limit));
  limit.limit = LimitKind::queue;
  EXPECT_EQ(lever_text(limit).find("for shorter waits, more KV memory"), 0U);
  EXPECT_FALSE(needs_nothing(limit));
}

}  // namespace
}  // namespace plimsoll
