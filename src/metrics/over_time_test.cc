#include "metrics/over_time.h"

#include <gtest/gtest.h>

#include "run_record_maker.h"

namespace plimsoll {
namespace {

// One request every 10 ms for 10 s; those of the second half take ten times as long.
RunRecord slower_later() {
  RunRecord record;
  for (int i = 0; i <= 1000; ++i) {
    const double ttft = i < 500 ? 10 : 100;
    test::add_row(&record, {.arrival = 10.0 * i, .delay = 1, .ttft = ttft, .e2e = 11 * ttft});
  }
  return record;
}

TEST(LatenciesOverTime, AreThoseOfTheRequestsThatArriveThen) {
  SteadyState state;
  state.warmup_s = 2;
  state.verdict = SteadyVerdict::steady;
  const LatenciesOverTime course =
      latencies_over_time(slower_later().requests, metric_definitions().front(), state);
  ASSERT_EQ(course.stretches.size(), 10);
  EXPECT_DOUBLE_EQ(course.width_s, 1);
  EXPECT_DOUBLE_EQ(course.warmup_s, 2);
  EXPECT_DOUBLE_EQ(course.last_arrival_s, 10);
  ASSERT_EQ(course.compared_s.size(), 2);
  EXPECT_DOUBLE_EQ(course.compared_s[0].first, 10.0 / 3);
  EXPECT_DOUBLE_EQ(course.compared_s[1].first, 7.5);
  EXPECT_DOUBLE_EQ(course.stretches[4].ttft.p99_ms, 10);
  EXPECT_DOUBLE_EQ(course.stretches[5].ttft.p50_ms, 100);
  EXPECT_DOUBLE_EQ(course.stretches[4].tpot.p99_ms, 10);
  EXPECT_DOUBLE_EQ(course.stretches[9].tpot.p50_ms, 100);
}

TEST(LatenciesOverTime, MarkWhatTheVerdictArguesWith) {
  SteadyState state;
  state.verdict = SteadyVerdict::overloaded;
  const auto compared = [&](SteadyCause cause) {
    state.reason = {cause};
    return latencies_over_time(slower_later().requests, metric_definitions().front(), state)
        .compared_s;
  };
  const auto delays = compared(SteadyCause::delay_rises);
  ASSERT_EQ(delays.size(), 2);
  EXPECT_DOUBLE_EQ(delays[0].first, 0);
  EXPECT_NEAR(delays[0].second, 2, 0.1);
  EXPECT_NEAR(delays[1].first, 8, 0.1);
  EXPECT_EQ(compared(SteadyCause::work_grows).size(), 2);
  EXPECT_TRUE(compared(SteadyCause::lost).empty());
}

TEST(LatenciesOverTime, NeedRequestsEnough) {
  RunRecord record;
  EXPECT_TRUE(
      latencies_over_time(record.requests, metric_definitions().front(), {}).stretches.empty());
  for (int i = 0; i < 400; ++i)
    test::add_row(&record, {.arrival = 10.0 * i, .delay = 1, .ttft = 10, .e2e = 110});
  EXPECT_TRUE(
      latencies_over_time(record.requests, metric_definitions().front(), {}).stretches.empty());
}

}  // namespace
}  // namespace plimsoll
