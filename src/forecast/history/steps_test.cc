#include "forecast/history/steps.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace plimsoll {
namespace {

constexpr std::int64_t kSecondNs = 1'000'000'000;
constexpr std::int64_t kHourNs = 3600 * kSecondNs;
constexpr std::int64_t kMidnightNs = 20'000 * 24 * kHourNs;

std::vector<HistoryRoute> rows_at(const std::vector<std::int64_t>& times) {
  std::vector<HistoryRoute> routes(1);
  for (const std::int64_t ns : times) routes[0].rows.emplace_back().ns = ns;
  return routes;
}

std::vector<std::int64_t> times_of(const std::vector<HistoryRoute>& routes) {
  std::vector<std::int64_t> times;
  for (const HistoryRow& row : routes[0].rows) times.push_back(row.ns);
  return times;
}

std::vector<std::int64_t> hours(int count) {
  std::vector<std::int64_t> times;
  for (int hour = 0; hour < count; ++hour) times.push_back(kMidnightNs + hour * kHourNs);
  return times;
}

// A cron job that starts one or two seconds late by turns: no two neighbours are an hour apart.
TEST(HistorySteps, is_a_clock_that_is_late_by_turns_on_whole_hours) {
  std::vector<std::int64_t> late = hours(3000);
  for (std::size_t i = 0; i < late.size(); ++i)
    late[i] += static_cast<std::int64_t>(i % 3) * kSecondNs;
  auto routes = rows_at(late);
  HistorySteps steps = steps_of(routes);
  EXPECT_DOUBLE_EQ(snap(&routes, &steps), 2);
  EXPECT_EQ(steps.each_ns, kHourNs);
  EXPECT_EQ(times_of(routes), hours(3000));
}

// The first of them two seconds before midnight: the others stay where they are.
TEST(HistorySteps, is_a_first_time_that_is_early_no_reason_to_move_the_others) {
  std::vector<std::int64_t> early = hours(48);
  early.front() -= 2 * kSecondNs;
  auto routes = rows_at(early);
  HistorySteps steps = steps_of(routes);
  EXPECT_DOUBLE_EQ(snap(&routes, &steps), 2);
  EXPECT_EQ(steps.first_ns, kMidnightNs);
  EXPECT_EQ(times_of(routes), hours(48));
}

TEST(HistorySteps, do_times_that_are_even_stay_wherever_they_begin) {
  std::vector<std::int64_t> times = hours(48);
  for (std::int64_t& ns : times) ns += 90 * kSecondNs;
  auto routes = rows_at(times);
  HistorySteps steps = steps_of(routes);
  EXPECT_EQ(snap(&routes, &steps), 0);
  EXPECT_EQ(times_of(routes), times);
  times[7] += kHourNs / 2;  // on no grid
  routes = rows_at(times);
  EXPECT_EQ(snap(&routes, &steps), 0);
  EXPECT_EQ(times_of(routes), times);
}

}  // namespace
}  // namespace plimsoll
