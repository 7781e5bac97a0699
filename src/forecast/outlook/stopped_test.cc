#include "forecast/outlook/stopped.h"

#include <gtest/gtest.h>

#include <cmath>

#include "random/distributions.h"
#include "random/stream.h"

namespace plimsoll {
namespace {

// Days of demand that grows by 1 % of the first day every day, then so many days of nothing.
std::vector<double> growth_then(std::size_t silent) {
  RandomStream noise(7, Purpose::forecast_path, 0);
  std::vector<double> y;
  for (int d = 0; d < 100; ++d) y.push_back((10 + 0.1 * d) * std::exp(0.02 * draw_normal(noise)));
  y.insert(y.end(), silent, 0.0);
  return y;
}

OutlookOptions of_days(std::size_t horizon) {
  OutlookOptions options;
  options.horizon = horizon;
  options.step_s = kDayS;
  return options;
}

// The scale of logarithms has no place for what stopped: such a history once led to 10^12 requests.
TEST(Stopped, demand_is_continued_as_nothing) {
  for (const std::size_t silent : {14U, 20U, 60U, 100U}) {
    const auto outlook = look_ahead(growth_then(silent), of_days(90));
    ASSERT_TRUE(outlook);
    EXPECT_TRUE(outlook->has_stopped());
    EXPECT_FALSE(outlook->too_short);
    EXPECT_EQ(outlook->peak().back(), 0) << silent;
    EXPECT_EQ(outlook->point, std::vector<double>(90));
    EXPECT_EQ(outlook->usual.size(), 100 + silent);
  }
}

TEST(Stopped, demand_may_return_within_two_weeks_as_it_was_expected_to_be) {
  const auto outlook = look_ahead(growth_then(5), of_days(90));
  ASSERT_TRUE(outlook);
  EXPECT_EQ(outlook->events.undecided, 5u);
  const auto returned = std::ranges::count_if(
      outlook->paths, [](const std::vector<double>& path) { return path.back() > 0; });
  const auto share = static_cast<double>(returned) / static_cast<double>(outlook->paths.size());
  EXPECT_NEAR(share, 9.0 / 23, 0.05);  // 9 of 14 days are left
  EXPECT_EQ(outlook->peak()[kMedianBand], 0);
  EXPECT_GT(outlook->peak().back(), 25);
  EXPECT_LT(outlook->peak().back(), 45);
}

// Of which what lies in the silence says nothing of what came before.
TEST(Stopped, demand_has_events_that_somebody_declared) {
  OutlookOptions options = of_days(90);
  options.known.left_out = {{50, 52}, {99, 102}, {103, 104}};
  options.known.shifts = {30, 102};
  const auto outlook = look_ahead(growth_then(6), options);
  ASSERT_TRUE(outlook);
  EXPECT_TRUE(outlook->has_stopped());
}

TEST(Stopped, demand_of_a_few_days_is_nothing_ahead) {
  std::vector<double> y(40, 0.0);
  std::fill_n(y.begin(), 3, 20.0);
  const auto outlook = look_ahead(y, of_days(90));
  ASSERT_TRUE(outlook);
  EXPECT_TRUE(outlook->has_stopped());
  EXPECT_EQ(outlook->peak().back(), 0);
}

std::optional<Stop> stop_in(const std::vector<double>& y, const OutlookOptions& options) {
  return stop_of(y, LogScale(y), options);
}

TEST(Stopped, demand_is_not_that_pauses_as_long_before_or_trickles) {
  std::vector<double> y = growth_then(3);
  const auto stop = stop_in(y, of_days(1));
  ASSERT_TRUE(stop);
  EXPECT_EQ(stop->at, 100u);
  EXPECT_EQ(stop->days, 3u);
  EXPECT_FALSE(stop_in(growth_then(1), of_days(1))) << "an odd day";
  OutlookOptions outage = of_days(1);
  outage.known.left_out = {{100, 103}};
  EXPECT_FALSE(stop_in(y, outage)) << "an outage that somebody named";
  outage.known.left_out = {{100, 102}};
  EXPECT_TRUE(stop_in(y, outage)) << "which had ended";
  std::fill(y.end() - 3, y.end(), 0.1);
  EXPECT_FALSE(stop_in(y, of_days(1))) << "a little comes";
  y = growth_then(3);
  std::fill(y.begin() + 40, y.begin() + 43, 0.0);
  EXPECT_FALSE(stop_in(y, of_days(1)));
  EXPECT_FALSE(stop_in(std::vector<double>(50), of_days(1))) << "there was none";
}

TEST(Stopped, demand_is_not_at_a_weekend) {
  OutlookOptions options = of_days(1);
  options.start_s = 4 * kDayS;  // Monday, 5 January 1970
  EXPECT_TRUE(stop_in(growth_then(2), options)) << "nobody knows the weekdays";
  options.zone_s = 0;
  EXPECT_FALSE(stop_in(growth_then(2), options));
  EXPECT_TRUE(stop_in(growth_then(3), options));
  const auto outlook = look_ahead(growth_then(2), options);
  ASSERT_TRUE(outlook);
  EXPECT_FALSE(outlook->events.undecided) << "nor a fall of demand";
  EXPECT_GT(outlook->peak()[kMedianBand], 15);
  options.start_s += kDayS;
  EXPECT_TRUE(stop_in(growth_then(2), options)) << "a Sunday and a Monday";
}

// Office hours of eight days from a Sunday on: no factor makes Monday of a weekend of nothing.
TEST(Stopped, demand_of_office_hours_is_that_of_working_days) {
  std::vector<double> y;
  for (int hour = 0; hour < 8 * 24; ++hour) {
    const int day = hour / 24;
    const bool is_open = day > 0 && day < 6 && hour % 24 >= 8 && hour % 24 < 18;
    y.push_back(is_open ? 14 + 0.1 * (hour % 7) : 0);
  }
  OutlookOptions options = of_days(24);
  options.step_s = 3600;
  options.start_s = 11 * kDayS;  // Monday, 12 January 1970
  options.zone_s = 0;
  const auto outlook = look_ahead(y, options);
  ASSERT_TRUE(outlook);
  EXPECT_GT(outlook->peak()[kMedianBand], 13);
  EXPECT_LT(outlook->peak()[kMedianBand], 17);
}

TEST(Stopped, days_are_days_whatever_the_step) {
  OutlookOptions options = of_days(1);
  options.step_s = 7 * kDayS;
  EXPECT_FALSE(stop_in(growth_then(1), options));
  EXPECT_TRUE(stop_in(growth_then(2), options)->is_sure());
  options.step_s = 3600;
  EXPECT_FALSE(stop_in(growth_then(47), options));
  EXPECT_EQ(stop_in(growth_then(49), options)->days, 2u);
}

}  // namespace
}  // namespace plimsoll
