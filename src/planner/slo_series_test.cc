#include "planner/slo_judgement.h"

#include <gtest/gtest.h>

#include "known_system.h"

namespace plimsoll {
namespace {

/// Eight places; a step takes 10 ms, and 1 ms more for each request in it.
Deployment decoder() {
  reference::LinearModel model;
  model.step = 10'000;
  model.per_prefill_token = 0;
  model.per_decode_request = 1'000;
  Deployment deployment;
  deployment.main().engine.max_num_seqs = 8;
  deployment.main().engine.total_kv_blocks = 10'000;
  deployment.main().step_time = std::make_shared<reference::LinearModel>(model);
  return deployment;
}

struct Ran {
  GapStretches gaps;
  ItlHistogram pooled;
  RunRecord record;
  int looks = 0;
};

Ran run(const std::vector<Slo>& slos, bool goes_on = true) {
  constexpr double kRate = 15;
  constexpr std::int64_t kRequests = 3'000;
  test::PromptSource source(kRate, kRequests, 1, [](std::int64_t i, Request* request) {
    request->input_tokens = 10;
    request->output_tokens = 10 + static_cast<std::int32_t>(i % 20);
  });
  Simulation simulation(decoder(), source, {});
  Ran ran;
  run_in_stretches(simulation, slos, static_cast<double>(kRequests) / kRate, nullptr, &ran.gaps,
                   [&] { return ++ran.looks, goes_on; });
  ran.pooled = simulation.gaps();
  ran.record = simulation.take_record();
  return ran;
}

TEST(GapStretches, are_all_stretches_together_all_gaps) {
  const std::vector<Slo> slos = *parse_slos("", "itl_p90<15ms,itl_p50<12ms");
  const Ran ran = run(slos);
  for (std::size_t i = 0; i < slos.size(); ++i) {
    const double share = static_cast<double>(ran.pooled.count_above_us(slos[i].limit.ns / 1000)) /
                         static_cast<double>(ran.pooled.count());
    EXPECT_DOUBLE_EQ(ran.gaps.exceeding_share(i), share);
    const auto interval = ran.gaps.share_interval(i, 10, 0.9);
    ASSERT_TRUE(interval);
    EXPECT_GT(share, interval->low - 0.01);
    EXPECT_LT(share, interval->high + 0.01);
    EXPECT_GT(share, 0.02);
  }
  EXPECT_DOUBLE_EQ(ran.gaps.value_ms(slos[0]), ran.pooled.percentile_us(90) / 1000);
}

TEST(GapStretches, does_looking_on_the_way_change_nothing) {
  const Ran with = run(*parse_slos("", "itl_p90<15ms"));
  const Ran without = run(*parse_slos("", "ttft_p90<15ms"));
  EXPECT_EQ(with.pooled.count(), without.pooled.count());
  EXPECT_EQ(with.record.requests.arrival.size(), 3'000U);
  EXPECT_EQ(with.looks, 1);
  EXPECT_EQ(without.looks, 1);
}

TEST(GapStretches, does_the_run_end_at_the_early_look_if_told_so) {
  for (const char* slos : {"itl_p90<15ms", "ttft_p90<15ms"}) {
    EXPECT_NEAR(static_cast<double>(run(*parse_slos("", slos), false).record.requests.size()),
                1'200, 100)
        << slos;
  }
}

TEST(SloSeries, is_the_mean_gap_the_ratio_of_sums) {
  const std::vector<Slo> slos = *parse_slos("", "itl_mean<15ms");
  const Ran ran = run(slos);
  const SloSeries series = series_of(ran.record, slos[0], 0);
  const auto interval = series.mean_gap_interval(0.9);
  ASSERT_TRUE(interval);
  const double mean_ms = ran.pooled.mean_us() / 1000;
  EXPECT_GT(mean_ms, interval->low - 0.1);
  EXPECT_LT(mean_ms, interval->high + 0.1);
}

TEST(SloSeries, does_an_answer_of_one_token_have_no_gap) {
  const auto load = test::single_servers("").load(50, 100);
  Simulation simulation(decoder(), *load->source, {});
  simulation.advance();
  const RunRecord record = simulation.take_record();
  EXPECT_TRUE(series_of(record, parse_slos("", "tpot_p50<1s")->front(), 0).exceeds.empty());
  EXPECT_EQ(series_of(record, parse_slos("", "ttft_p50<1s")->front(), 0).exceeds.size(), 100U);
}

// So many of the requests, the last ones, have no first token: such a share has no interval.
RunRecord lost_at_the_end(double share) {
  constexpr std::int64_t kRequests = 30'000;
  RunRecord record;
  for (std::int64_t i = 0; i < kRequests; ++i) {
    Request request;
    request.arrival = Time{} + milliseconds(10 * i);
    record.requests.add(request);
    const bool is_lost = static_cast<double>(i) >= (1 - share) * static_cast<double>(kRequests);
    if (!is_lost) record.requests.ttft.back() = milliseconds(100);
    record.requests.outcome.back() = is_lost ? Outcome::timed_out : Outcome::completed;
  }
  return record;
}

Answer answer_of(double share, const SloLook& look) {
  SteadyState wandering;
  wandering.verdict = SteadyVerdict::too_short;
  wandering.enough_requests = 60'000;
  return slo_figures(*parse_slos("", "ttft_p99<500ms"), lost_at_the_end(share), {}, wandering, look)
      .front()
      .answer;
}

// By Markov's inequality: 40 times as many as tolerated in the first look, 20 in the longest run.
TEST(SloFigures, fail_without_an_interval_where_many_times_as_many_exceed_as_are_tolerated) {
  const SloLook first{.level = 0.95, .share = 0.25};
  EXPECT_EQ(answer_of(0.38, first), Answer::unclear);
  EXPECT_EQ(answer_of(0.42, first), Answer::fails);
  const SloLook second{.level = 1 - 0.1 / 6, .share = 0.5};
  EXPECT_EQ(answer_of(0.6, second), Answer::unclear);
  const SloLook longest{.level = 0.95, .share = 1};
  EXPECT_EQ(answer_of(0.18, longest), Answer::unclear);
  EXPECT_EQ(answer_of(0.22, longest), Answer::fails);
}

}  // namespace
}  // namespace plimsoll
