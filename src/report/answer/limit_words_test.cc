#include "report/answer/reasons.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kept_limits.h"
#include "metrics/summary.h"
#include "run_record_maker.h"

namespace plimsoll {
namespace {

using test::add_row;
using test::RowMs;

// Ten requests in steps of 10 ms; each part of their time can be set.
struct Ten {
  double delay = 0;
  double ttft = 10;
  double e2e = 110;
};

RunRecord ten_requests(const Ten& times) {
  RunRecord record;
  for (int i = 0; i < 10; ++i) {
    add_row(&record, {.delay = times.delay, .ttft = times.ttft, .e2e = times.e2e});
  }
  InstanceRecord& r = record.instances[0];
  r.busy = duration_from_us(times.e2e * 1000);
  r.steps = r.busy.ns / milliseconds(10).ns;
  r.batch_request_steps = 10 * r.steps;
  r.max_num_seqs = 256;
  r.total_kv_blocks = 1000;
  r.kv_block_us = 100 * (r.busy.ns / 1000);  // 10 blocks per request
  r.lone_decode_step = milliseconds(10);
  r.decode_tokens = r.batch_request_steps;
  return record;
}

// Of a run that is long enough to act on.
Bottleneck bottleneck(const RunRecord& record) {
  Summary summary = summarize(record);
  summary.steady_state.verdict = SteadyVerdict::steady;
  return find_bottleneck(record, summary, {});
}

TEST(Bottleneck, shares_are_those_of_the_parts) {
  RunRecord record = ten_requests({.delay = 50, .ttft = 100, .e2e = 200});
  for (PhaseTimes& phases : record.requests.phases) {
    phases.gateway = milliseconds(10);
    phases.prefill = milliseconds(30);
    phases.prefill_stall = milliseconds(25);
    phases.preemption = milliseconds(35);  // 20 of it before the first token
  }
  const Bottleneck b = bottleneck(record);
  EXPECT_DOUBLE_EQ(b.gateway_share, 0.05);
  EXPECT_DOUBLE_EQ(b.queue_share, 0.20);
  EXPECT_DOUBLE_EQ(b.prefill_share, 0.15);
  EXPECT_DOUBLE_EQ(b.prefill_stall_share, 0.125);
  EXPECT_DOUBLE_EQ(b.decode_share, 0.30);
  EXPECT_DOUBLE_EQ(b.preemption_share, 0.175);
}

TEST(Bottleneck, nothing_binds_an_instance_that_serves_as_fast_as_it_can) {
  const Bottleneck b = bottleneck(ten_requests({}));
  EXPECT_EQ(name_of(b.limit), "none");
  EXPECT_EQ(reason_text(b),
            "requests wait for 0 % of their time, a decode step takes 10.0 ms (10.0 ms for a "
            "lone request), prompts take 0 % of instance time");
}

TEST(Bottleneck, more_load_fits_only_into_a_steady_run_within_its_limits) {
  const RunRecord record = ten_requests({});
  Summary summary = summarize(record);
  const auto lever = [&] { return lever_text(find_bottleneck(record, summary, {})); };
  summary.steady_state.verdict = SteadyVerdict::overloaded;
  EXPECT_EQ(name_of(find_bottleneck(record, summary, {}).limit), "queue");
  summary.steady_state.verdict = SteadyVerdict::steady;
  EXPECT_EQ(lever(), "none needed: the load is held");
  summary.goodput = goodput_of(0.99);
  EXPECT_EQ(lever(), "none needed: the load is held");
  summary.goodput = goodput_of(0.98);
  EXPECT_EQ(lever(),
            "a faster deployment (a higher --tp, another --hardware) or other limits: no resource "
            "is short, but only 98.0 % of requests meet the limit missed most often");
}

TEST(Bottleneck, nothing_but_a_longer_run_is_advised_where_a_run_is_too_short) {
  const RunRecord record = ten_requests({});
  Summary summary = summarize(record);
  summary.steady_state = {};
  summary.steady_state.verdict = SteadyVerdict::too_short;
  summary.steady_state.enough_requests = 1'900'000;
  EXPECT_TRUE(needs_more_requests(summary));
  EXPECT_EQ(lever_text(find_bottleneck(record, summary, {})),
            "run longer first: about 1,900,000 requests give a verdict to act on");
}

TEST(Bottleneck, overload_is_bound_by_something) {
  const RunRecord record = ten_requests({});
  Summary summary = summarize(record);
  summary.steady_state.verdict = SteadyVerdict::overloaded;
  EXPECT_EQ(name_of(find_bottleneck(record, summary, {}).limit), "queue");
}

TEST(Bottleneck, a_model_faster_than_the_gpu_is_no_reason_to_say_nothing) {
  const RunRecord record = ten_requests({});
  Summary summary = summarize(record);
  summary.cluster.efficiency.emplace().mfu = 1;
  EXPECT_EQ(name_of(find_bottleneck(record, summary, {}).limit), "none");
  summary.cluster.efficiency->mfu = 3.59;
  const Bottleneck b = find_bottleneck(record, summary, {});
  EXPECT_EQ(name_of(b.limit), "compute");
  EXPECT_EQ(reason_text(b),
            "MFU is 359 %: the step-time model computes 3.59 times faster than the peak of the "
            "GPU, which no real instance can");
}

TEST(Bottleneck, every_cause_and_every_remedy_has_its_words) {
  Limit limit;
  for (int i = 1; i <= static_cast<int>(LimitCause::out_of_time); ++i) {
    limit.reason = {static_cast<LimitCause>(i), 1, 1, 1, 1, 1};
    EXPECT_NE(reason_text(limit), "") << i;
  }
  for (int i = 1; i <= static_cast<int>(Remedy::faster_link); ++i) {
    limit.lever = {static_cast<Remedy>(i), 1, 1, 1, 1, 1};
    EXPECT_NE(lever_text(limit), "") << i;
  }
}

TEST(Bottleneck, decodes_bind_when_a_token_takes_much_longer_than_alone) {
  RunRecord record = ten_requests({});
  record.instances[0].lone_decode_step = microseconds(6'666);
  EXPECT_EQ(name_of(bottleneck(record).limit), "compute");
  EXPECT_EQ(name_of(bottleneck(record).resource), "decode bandwidth");
  EXPECT_EQ(reason_text(bottleneck(record)),
            "a decode step takes 10.0 ms, 1.50 times as long as for a lone request: each step "
            "serves 10.0 requests");
  EXPECT_EQ(
      lever_text(bottleneck(record)),
      "use smaller batches (--num-instances 2: at most 5.00 requests each instead of 10.0) or more "
      "memory bandwidth (a higher --tp)");
  // Slower, but not by much: larger batches fit, for tokens that are slower still.
  record.instances[0].lone_decode_step = microseconds(6'667);
  EXPECT_EQ(name_of(bottleneck(record).resource), "decode bandwidth");
  EXPECT_EQ(lever_text(bottleneck(record)),
            "none needed: more load fits if slower tokens are acceptable (batches may grow from "
            "10.0 to about 90.0 requests)");
  record.instances[0].lone_decode_step = microseconds(8'400);
  EXPECT_EQ(name_of(bottleneck(record).limit), "none");
}

TEST(Bottleneck, prompts_bind_when_they_take_most_of_the_time) {
  RunRecord record = ten_requests({.delay = 0, .ttft = 100, .e2e = 110});
  record.instances[0].prefill_work = milliseconds(55);
  EXPECT_EQ(name_of(bottleneck(record).limit), "none");
  record.instances[0].prefill_work = milliseconds(56);
  EXPECT_EQ(name_of(bottleneck(record).limit), "compute");
  EXPECT_EQ(name_of(bottleneck(record).resource), "prefill compute");
  EXPECT_EQ(lever_text(bottleneck(record)),
            "less prompt work per GPU: --num-instances 2, a higher --tp or prefix caching");
  for (PhaseTimes& phases : record.requests.phases) {
    phases.prefill = milliseconds(1);
    phases.prefill_stall = milliseconds(90);
  }
  EXPECT_EQ(lever_text(bottleneck(record)).find("smaller chunks of prompts in a step"), 0u);
}

TEST(Bottleneck, memory_binds_when_requests_are_preempted) {
  RunRecord record = ten_requests({});
  record.instances[0].preemptions = 3;
  record.instances[0].peak_kv_blocks = 1000;
  const Bottleneck b = bottleneck(record);
  EXPECT_EQ(name_of(b.limit), "memory");
  EXPECT_EQ(reason_text(b),
            "3 preemptions for 10 completed requests: the KV cache is 10.0 % full on average and "
            "100 % at its peak");
  EXPECT_EQ(
      lever_text(b),
      "more KV memory per request: --num-instances 2, a higher --tp or a GPU with more memory");
}

TEST(Bottleneck, memory_that_was_given_in_blocks_is_not_more_with_another_gpu) {
  RunRecord record = ten_requests({});
  record.instances[0].preemptions = 3;
  Summary summary = summarize(record);
  summary.steady_state.verdict = SteadyVerdict::steady;
  Deployment deployment;
  deployment.main().kv_blocks_are_given = true;
  EXPECT_EQ(lever_text(find_bottleneck(record, summary, deployment)),
            "more KV memory per request: --num-instances 2, or more than --total-kv-blocks 1000");
}

TEST(Bottleneck, a_wait_is_for_what_was_short) {
  RunRecord record = ten_requests({.delay = 100, .ttft = 110, .e2e = 210});
  InstanceRecord& r = record.instances[0];
  r.short_of_places = 9;
  r.short_of_blocks = 3;
  EXPECT_EQ(name_of(bottleneck(record).limit), "queue");
  EXPECT_EQ(
      reason_text(bottleneck(record)),
      "requests wait for 47.6 % of their time (queue mean 100 ms): all 256 places of the batch are "
      "taken");
  RunRecord of_two = record;  // of unlike pools
  of_two.instances.push_back(r);
  of_two.instances.back().max_num_seqs = 64;
  of_two.instances.back().short_of_places = 1;
  EXPECT_THAT(reason_text(bottleneck(of_two)), testing::HasSubstr("all 256 places"));
  r.short_of_blocks = 10;
  EXPECT_EQ(name_of(bottleneck(record).limit), "memory");
  r.short_of_tokens = 30;
  EXPECT_EQ(name_of(bottleneck(record).limit), "queue");
  EXPECT_NE(reason_text(bottleneck(record)).find("token budget"), std::string::npos);
  r.short_of_turns = 50;
  EXPECT_EQ(name_of(bottleneck(record).limit), "queue");
  EXPECT_NE(reason_text(bottleneck(record)).find("the batching rule admits no request"),
            std::string::npos);
}

// Ten requests at a time, preempted, of which nine have room; three quarters of the prompts are
// computed more than once.
RunRecord preempted(double prompts_ms) {
  RunRecord record = ten_requests({});
  InstanceRecord& r = record.instances[0];
  r.preemptions = 10;
  r.total_kv_blocks = 100;
  r.prefill_tokens = 4 * 10 * 100;
  r.prefill_work = duration_from_us(prompts_ms * 1000);
  return record;
}

std::string lever_under_overload(const RunRecord& record) {
  Summary summary = summarize(record);
  summary.steady_state.verdict = SteadyVerdict::overloaded;
  return lever_text(find_bottleneck(record, summary, {}));
}

TEST(Bottleneck, fewer_places_are_proposed_where_what_is_computed_again_costs_more_than_they_do) {
  // Of 110 ms 80 for prompts, of which 20 are needed; nine in a batch take 33.3 for what ten take
  // 30 for, as a step lasts no longer with ten.
  RunRecord record = preempted(80);
  record.instances[0].lone_decode_step = duration_from_us(30'000.0 / 11);
  EXPECT_EQ(lever_under_overload(record),
            "--max-num-seqs 9: if requests wait rather than lose their place, about 188 req/s are "
            "served instead of 90.9, with less recomputation; more KV memory per request: "
            "--num-instances 2");
  EXPECT_EQ(lever_text(bottleneck(record)).find("--max-num-seqs"), std::string::npos)
      << "places stay empty at times";
}

TEST(Bottleneck, fewer_places_are_not_proposed_where_smaller_batches_serve_less) {
  // Of 110 ms 10 for prompts: 2.5 and 111 with nine in a batch.
  RunRecord record = preempted(10);
  record.instances[0].lone_decode_step = duration_from_us(100'000.0 / 11);
  EXPECT_EQ(lever_under_overload(record).find("--max-num-seqs"), std::string::npos);
}

TEST(Bottleneck, requests_beyond_the_model_are_helped_by_no_flag) {
  RunRecord record = ten_requests({});
  add_row(&record, {.outcome = Outcome::dropped, .input = 9000});
  Summary summary = summarize(record);
  Deployment deployment;
  EngineConfig& engine = deployment.main().engine;
  engine.max_model_len = 2000;
  engine.total_kv_blocks = 1000;
  const auto lever = [&] { return lever_text(find_bottleneck(record, summary, deployment)); };
  EXPECT_EQ(lever(), "shorter requests, or a higher --max-model-len (as far as the model goes)");
  deployment.main().longest_of_model = 16'000;
  EXPECT_EQ(lever(),
            "shorter requests, or a higher --max-model-len (the model takes up to 16,000 tokens)");
  deployment.main().longest_of_model = 8000;
  EXPECT_EQ(lever(),
            "shorter requests, or a model that takes longer ones: this one takes 8,000 tokens at "
            "most, and no flag changes that");
  deployment.main().longest_of_model = 16'000;
  engine.total_kv_blocks = 100;
  deployment.main().kv_blocks_are_given = true;
  EXPECT_EQ(lever(), "shorter requests, or a larger KV cache: more than --total-kv-blocks 100");
}

TEST(Bottleneck, as_many_instances_are_named_as_the_arithmetic_gives) {
  Summary summary;
  summary.instances.resize(2);
  summary.arriving_work = {.prompts = 100, .answers = 899.5};
  EXPECT_EQ(instances_that_may_hold(summary), 1000);
  summary.arriving_work.answers = 1e300;
  EXPECT_GT(instances_that_may_hold(summary), kMostInstances);
}

TEST(Bottleneck, a_token_is_compared_with_one_alone_on_the_gpu_that_made_it) {
  RunRecord record = ten_requests({});
  record.instances[0].lone_decode_step = microseconds(6'000);
  record.instances.resize(3);
  for (const std::size_t i : {1U, 2U}) {
    record.instances[i].lone_decode_step = milliseconds(60);
    record.instances[i].steps = 1;  // a prompt, no decode
  }
  EXPECT_NE(reason_text(bottleneck(record)).find("6.00 ms for a lone request"), std::string::npos)
      << reason_text(bottleneck(record));
}

TEST(Bottleneck, prompts_in_chunks_are_proposed_by_the_flags_that_make_them) {
  RunRecord record = ten_requests({.delay = 0, .ttft = 20, .e2e = 200});
  for (PhaseTimes& phases : record.requests.phases) {
    phases.prefill = milliseconds(20);
    phases.prefill_stall = milliseconds(120);
  }
  InstanceRecord& r = record.instances[0];
  r.prefill_work = r.busy;
  EXPECT_EQ(name_of(bottleneck(record).resource), "prefill compute");
  EXPECT_NE(lever_text(bottleneck(record)).find("--max-num-batched-tokens"), std::string::npos);
  r.whole_prompts = true;
  EXPECT_EQ(lever_text(bottleneck(record)).find("--max-num-batched-tokens"), std::string::npos);
  EXPECT_NE(lever_text(bottleneck(record)).find("--batching-rule"), std::string::npos);
}

TEST(Bottleneck, waiting_for_the_next_batch_is_no_queue) {
  EXPECT_EQ(name_of(bottleneck(ten_requests({.delay = 19, .ttft = 29, .e2e = 129})).limit), "none");
  const RunRecord waiting = ten_requests({.delay = 21, .ttft = 31, .e2e = 131});
  EXPECT_EQ(name_of(bottleneck(waiting).limit), "queue");
}

TEST(Bottleneck, the_lever_is_routing_when_few_instances_get_the_requests) {
  RunRecord record = ten_requests({.delay = 100, .ttft = 110, .e2e = 210});
  for (int i = 0; i < 10; ++i) add_row(&record, {.delay = 100, .ttft = 110, .e2e = 210});
  EXPECT_EQ(lever_text(bottleneck(record)), "try --num-instances 2 instead of 1");
  record.instances.resize(2);
  EXPECT_EQ(name_of(bottleneck(record).limit), "queue");
  EXPECT_EQ(lever_text(bottleneck(record)),
            "spread the requests over all 2 instances (--routing-policy round-robin, or more "
            "weight for a scorer of load): instance_0 got 100 % of them");
  RunRecord idle = ten_requests({});
  idle.instances.resize(2);
  EXPECT_EQ(name_of(bottleneck(idle).limit), "none");
}

TEST(Bottleneck, takes_a_run_in_which_nothing_completed) {
  RunRecord record;
  add_row(&record, {.outcome = Outcome::unfinished});
  EXPECT_EQ(name_of(bottleneck(record).limit), "none");
  EXPECT_EQ(lever_text(bottleneck(record)), "");
  RunRecord unservable;
  add_row(&unservable, {.outcome = Outcome::dropped});
  EXPECT_EQ(reason_text(bottleneck(unservable)),
            "1 of 1 requests are longer than the model's maximum or the KV cache");
}

}  // namespace
}  // namespace plimsoll
