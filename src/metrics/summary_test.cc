#include "metrics/summary.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "known_queue.h"
#include "run_record_maker.h"

namespace plimsoll {
namespace {

using test::add_row;

TEST(Summarize, takes_each_latency_over_its_own_population) {
  RunRecord record;
  add_row(&record, {.arrival = 0, .delay = 0, .ttft = 10, .e2e = 110});
  add_row(&record, {.arrival = 5, .delay = 2, .ttft = 20, .e2e = 220});
  add_row(&record,
          {.arrival = 10, .outcome = Outcome::length_capped, .delay = 4, .ttft = 30, .e2e = 330});
  add_row(&record, {.arrival = 15, .outcome = Outcome::unfinished, .delay = 6, .ttft = 140});
  add_row(&record, {.arrival = 20, .outcome = Outcome::unfinished, .delay = 88});
  add_row(&record, {.arrival = 25, .outcome = Outcome::timed_out});
  add_row(&record, {.arrival = 30, .outcome = Outcome::dropped});
  add_row(&record, {.arrival = 35, .outcome = Outcome::rejected, .instance = -1});
  record.rejected_admission = 1;
  const Summary s = summarize(record);
  const GroupSummary& c = s.cluster;
  EXPECT_EQ(c.completed, 3);
  EXPECT_EQ(c.length_capped, 1);
  EXPECT_EQ(c.injected, 7);
  EXPECT_EQ(s.rejected_admission, 1);
  EXPECT_EQ(s.arrived, 8);
  EXPECT_EQ(s.still_arriving, 0);
  EXPECT_EQ(c.total_input_tokens, 600);
  EXPECT_EQ(c.total_output_tokens, 33);
  EXPECT_DOUBLE_EQ(c.duration_s, 0.34);
  EXPECT_DOUBLE_EQ(c.responses_per_sec, 3 / 0.34);
  EXPECT_DOUBLE_EQ(c.tokens_per_sec, 33 / 0.34);
  EXPECT_DOUBLE_EQ(c.ttft.mean_ms, 50);  // four requests had a first token
  EXPECT_DOUBLE_EQ(c.ttft.p50_ms, 25);
  EXPECT_DOUBLE_EQ(c.e2e.mean_ms, 220);  // three completed
  EXPECT_DOUBLE_EQ(c.e2e.p90_ms, 308);
  EXPECT_DOUBLE_EQ(c.itl.mean_ms, 20);  // gaps of 10, 20 and 30 ms
  EXPECT_DOUBLE_EQ(c.itl.p99_ms, 30);
  EXPECT_DOUBLE_EQ(c.scheduling_delay.p50_ms, 4);  // five were admitted
  EXPECT_DOUBLE_EQ(c.scheduling_delay.p99_ms, 6 + 0.96 * 82);
}

// 1,000 tokens of 1,000 FLOPs in a second of the run, half of it busy, by each of two unlike GPUs.
TEST(Summarize, holds_each_instance_against_the_peak_of_its_own_pool) {
  RunRecord record;
  add_row(&record, {.arrival = 0, .instance = 0, .delay = 0, .ttft = 10, .e2e = 1000});
  add_row(&record, {.arrival = 0, .instance = 1, .delay = 0, .ttft = 10, .e2e = 1000});
  for (InstanceRecord& r : record.instances) {
    r.busy = milliseconds(500);
    r.prefill_tokens = 1000;
    r.steps = 1;
  }
  InstanceWork large;
  large.flops_per_token = 1000;
  large.peak_flops = 8e6;
  large.peak_bytes = 1;
  large.tdp_w = 800;
  InstanceWork small = large;
  small.peak_flops = 4e6;
  Deployment deployment;
  deployment.pools.resize(2);
  deployment.pools[0].role = PoolRole::prefill;
  deployment.pools[0].work = large;
  SummaryOptions options;
  options.deployment = &deployment;
  EXPECT_FALSE(summarize(record, options).cluster.efficiency);  // the other pool is not known
  deployment.pools[1].work = small;
  const Summary s = summarize(record, options);
  EXPECT_DOUBLE_EQ(s.instances[0].efficiency->mfu, 0.25);
  EXPECT_DOUBLE_EQ(s.instances[1].efficiency->mfu, 0.5);
  EXPECT_DOUBLE_EQ(s.cluster.efficiency->mfu, 2.0 / 6);
  const double quarter = 800 * power_share(0, 0.25);
  EXPECT_DOUBLE_EQ(s.instances[0].efficiency->gpu_power_w, quarter);
  EXPECT_GT(s.cluster.efficiency->gpu_power_w, quarter);  // the other one is busier
  EXPECT_LT(s.cluster.efficiency->gpu_power_w, 800);
}

TEST(Summarize, accounts_for_requests_that_had_not_reached_a_queue) {
  RunRecord record;
  add_row(&record, {.delay = 0, .ttft = 10, .e2e = 110});
  add_row(&record, {.arrival = 1, .outcome = Outcome::unfinished});                  // running
  add_row(&record, {.arrival = 2, .outcome = Outcome::unfinished, .instance = -1});  // not routed
  add_row(&record, {.arrival = 3, .outcome = Outcome::unfinished});
  record.instances[0].still_running = 1;  // the last one is still entering the wait queue
  const Summary s = summarize(record);
  EXPECT_EQ(s.arrived, 4);
  EXPECT_EQ(s.still_arriving, 2);
  EXPECT_EQ(s.arrived, s.cluster.injected + s.still_arriving);
}

TEST(Summarize, gives_no_latency_when_nothing_completed) {
  RunRecord record;
  add_row(&record, {.outcome = Outcome::unfinished, .delay = 3, .ttft = 10});
  record.instances[0].end = Time{} + milliseconds(10);
  const Summary s = summarize(record);
  EXPECT_EQ(s.cluster.ttft.mean_ms, 0);
  EXPECT_EQ(s.cluster.scheduling_delay.p99_ms, 0);
  EXPECT_EQ(s.cluster.duration_s, 0.01);
}

TEST(Summarize, takes_an_empty_record) {
  const Summary s = summarize(RunRecord{});
  EXPECT_EQ(s.cluster.injected, 0);
  EXPECT_EQ(s.cluster.responses_per_sec, 0);
  EXPECT_EQ(s.steady_state.verdict, SteadyVerdict::no_load);
}

// As vLLM counts hits and queries: tokens of prompts, whatever the answers took.
TEST(Summarize, counts_hits_of_prompts_alone) {
  RunRecord record;
  add_row(&record, {.instance = 0, .delay = 0, .ttft = 10, .e2e = 100, .input = 100});
  add_row(&record, {.instance = 1, .delay = 0, .ttft = 10, .e2e = 100, .input = 300});
  add_row(&record, {.outcome = Outcome::unfinished, .instance = 1, .input = 1000});
  record.requests.cached_tokens.set(1, 240, 3);
  for (InstanceRecord& r : record.instances) r.cache_miss_blocks = 1000;
  const Summary s = summarize(record);
  EXPECT_DOUBLE_EQ(s.cluster.prefix_hit_rate, 0.6);
  EXPECT_DOUBLE_EQ(s.instances[0].prefix_hit_rate, 0);
  EXPECT_DOUBLE_EQ(s.instances[1].prefix_hit_rate, 0.8);
}

TEST(Summarize, takes_for_queue_time_what_is_spent_in_the_queue) {
  RunRecord record;
  add_row(&record, {.delay = 30, .ttft = 40, .e2e = 100});
  record.requests.phases[0].gateway = milliseconds(20);
  const Summary s = summarize(record);
  EXPECT_DOUBLE_EQ(s.cluster.scheduling_delay.mean_ms, 30);
  EXPECT_DOUBLE_EQ(s.cluster.queue_time.mean_ms, 10);
}

TEST(Summarize, counts_those_whose_first_token_was_all_they_got) {
  RunRecord record;
  add_row(&record, {.delay = 0, .ttft = 10, .e2e = 100});
  add_row(&record, {.outcome = Outcome::timed_out, .delay = 0, .ttft = 5000});
  add_row(&record, {.outcome = Outcome::timed_out});
  Summary s = summarize(record);
  EXPECT_EQ(s.first_tokens_alone, 1);
  EXPECT_GT(s.cluster.ttft.p99_ms, s.cluster.e2e.p99_ms);
  SummaryOptions options;
  options.definitions = metric_definitions("vllm-bench");
  s = summarize(record, options);
  EXPECT_EQ(s.first_tokens_alone, 0);
}

TEST(Summarize, gathers_instances_into_the_cluster) {
  RunRecord record;
  add_row(&record, {.arrival = 0, .instance = 0, .delay = 0, .ttft = 10, .e2e = 1000});
  add_row(&record, {.arrival = 0, .instance = 1, .delay = 0, .ttft = 30, .e2e = 4000});
  add_row(&record, {.arrival = 0, .instance = 0, .delay = 0, .ttft = 20, .e2e = 2000});
  InstanceRecord& a = record.instances[0];
  InstanceRecord& b = record.instances[1];
  a.busy = seconds(2);
  b.busy = seconds(4);
  a.cache_hit_blocks = 1, a.cache_miss_blocks = 1;
  b.cache_hit_blocks = 0, b.cache_miss_blocks = 8;
  a.total_kv_blocks = b.total_kv_blocks = 100;
  a.kv_block_us = 2'000'000 * 50;
  b.kv_block_us = 4'000'000 * 10;
  a.peak_kv_blocks = 80;
  a.steps = 10, a.batch_request_steps = 20;
  b.steps = 30, b.batch_request_steps = 30;
  const Summary s = summarize(record);
  ASSERT_EQ(s.instances.size(), 2u);
  EXPECT_EQ(s.instances[1].name, "instance_1");
  EXPECT_DOUBLE_EQ(s.instances[0].ttft.mean_ms, 15);
  EXPECT_DOUBLE_EQ(s.instances[1].ttft.mean_ms, 30);
  EXPECT_DOUBLE_EQ(s.instances[0].duration_s, 2);
  EXPECT_DOUBLE_EQ(s.cluster.duration_s, 4);
  EXPECT_DOUBLE_EQ(s.cluster.cache_hit_rate, 0.25);   // plain mean of 1/2 and 0
  EXPECT_DOUBLE_EQ(s.instances[0].utilization, 0.5);  // of the four seconds of the run
  EXPECT_DOUBLE_EQ(s.cluster.utilization, 0.75);
  EXPECT_DOUBLE_EQ(s.cluster.kv_utilization, 0.3);
  EXPECT_DOUBLE_EQ(s.cluster.kv_peak_utilization, 0.8);
  EXPECT_DOUBLE_EQ(s.cluster.mean_batch_size, 1.25);
  SummaryOptions wanted;
  wanted.cluster_alone = true;
  const Summary alone = summarize(record, wanted);
  EXPECT_EQ(alone.instances[0].ttft.mean_ms, 0);
  EXPECT_EQ(alone.cluster.ttft.mean_ms, s.cluster.ttft.mean_ms);
}

// One server as an instance: 20 requests per second, or slightly more than it can serve.
RunRecord queue_record(double rho, std::size_t requests, int client = -1) {
  const test::QueueRun run = single_server(test::Service::exponential, rho, requests, 1);
  RunRecord record;
  for (std::size_t i = 0; i < requests; ++i) {
    constexpr double kScale = 0.05;
    const double wait = kScale * to_ms(run.first_token[i]);
    add_row(&record, {.arrival = kScale * to_seconds(run.arrival[i]) * 1000,
                      .delay = wait,
                      .ttft = wait + 1,
                      .e2e = kScale * to_ms(run.residence[i]) + 1,
                      .session = client,
                      .client = client});
  }
  record.instances[0].busy = record.instances[0].end - Time{};
  return record;
}

TEST(Summarize, gives_intervals_around_a_steady_answer) {
  const Summary s = summarize(queue_record(0.5, 40'000));
  ASSERT_EQ(s.steady_state.verdict, SteadyVerdict::steady);
  const auto find = [&](const std::string& metric) {
    const auto it = std::find_if(s.intervals.begin(), s.intervals.end(),
                                 [&](const MetricInterval& m) { return m.metric == metric; });
    return it == s.intervals.end() ? MetricInterval{} : *it;
  };
  EXPECT_LT(find("ttft_p99_ms").low, s.cluster.ttft.p99_ms);
  EXPECT_GT(find("ttft_p99_ms").high, s.cluster.ttft.p99_ms);
  EXPECT_LT(find("e2e_mean_ms").low, 101);
  EXPECT_GT(find("e2e_mean_ms").high, 101);
  EXPECT_LT(find("responses_per_sec").low, 10);
  EXPECT_GT(find("responses_per_sec").high, 10);
  EXPECT_NEAR(find("tokens_per_sec").low, 11 * find("responses_per_sec").low, 1e-6);
  EXPECT_LT(find("itl_mean_ms").low, s.cluster.itl.mean_ms);
  EXPECT_GT(find("itl_mean_ms").high, s.cluster.itl.mean_ms);
}

// What happens at the start, such as the burst of all users of a closed loop, is a part of each
// run, and of its figures: no figure lies outside its own interval.
TEST(Summarize, gives_intervals_around_the_figures_of_the_whole_run) {
  RunRecord record = queue_record(0.5, 40'000, 0);
  for (std::size_t i = 0; i < 1000; ++i) {
    record.requests.ttft[i] = microseconds(5'000'000);
    record.requests.e2e[i] = microseconds(6'000'000);
  }
  for (const bool closed : {false, true}) {
    SummaryOptions options;
    if (closed) options.clients_of_users = {0};
    const Summary s = summarize(record, options);
    ASSERT_EQ(s.steady_state.verdict, SteadyVerdict::steady);
    ASSERT_GT(s.steady_state.warmup_s, 0);
    EXPECT_GE(s.intervals.size(), 10u);
    for (const MetricInterval& i : s.intervals) {
      const double value = find_figure(i.metric).of(s.cluster);
      EXPECT_LE(i.low, value) << i.metric;
      EXPECT_GE(i.high, value) << i.metric;
    }
  }
}

// Tests of a plan or a capacity say what is served while requests arrive.
TEST(Summarize, gives_rates_of_the_steady_state_where_they_are_asked_for) {
  RunRecord record = queue_record(0.5, 40'000);
  const Time end = record.instances[0].end;
  record.instances[0].end = end + (end - Time{});  // as long a drain as the run
  const Summary whole = summarize(record);
  SummaryOptions options;
  options.steady_rates = true;
  const Summary steady = summarize(record, options);
  EXPECT_NEAR(whole.cluster.responses_per_sec, 5, 0.5);
  EXPECT_NEAR(steady.cluster.responses_per_sec, 10, 0.5);
  for (const Summary* s : {&whole, &steady}) {
    const MetricInterval* at = find_interval(s->intervals, "responses_per_sec");
    ASSERT_NE(at, nullptr);
    EXPECT_NEAR((at->low + at->high) / 2, s->cluster.responses_per_sec, 1e-9);
  }
}

TEST(Summarize, gives_no_interval_for_an_overloaded_run_and_blames_the_queue) {
  const Summary s = summarize(queue_record(1.2, 20'000));
  EXPECT_EQ(s.steady_state.verdict, SteadyVerdict::overloaded);
  EXPECT_NEAR(s.steady_state.backlog_growth_rps, 4, 0.5);
  EXPECT_TRUE(s.intervals.empty());
  EXPECT_EQ(s.bottleneck.limit, LimitKind::queue);
  EXPECT_GT(s.bottleneck.queue_share, 0.9);
}

}  // namespace
}  // namespace plimsoll
