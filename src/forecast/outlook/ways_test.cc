// What becomes of little history, of demand that pauses, and of a month that comes every year?
#include "forecast/outlook/ways.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include <gtest/gtest.h>

#include "base/calendar.h"
#include "random/distributions.h"

namespace plimsoll {
namespace {

OutlookOptions days_ahead(std::size_t horizon) {
  OutlookOptions options;
  options.horizon = horizon;
  options.step_s = 86'400;
  return options;
}

// Eight days of a week's pattern around 30: nobody knows the quarter to come, but not a
// millionfold.
TEST(Ways, is_little_history_no_cliff) {
  std::vector<double> y;
  for (std::size_t t = 0; t < 30; ++t) {
    RandomStream stream(3, Purpose::arrival, t);
    y.push_back(30 * (t % 7 < 5 ? 1.08 : 0.8) * std::exp(0.03 * draw_normal(stream)));
  }
  double before = look_ahead(std::span(y).first(8), days_ahead(90))->peak().back();
  for (std::size_t known = 8; known <= 30; ++known) {
    const auto outlook = look_ahead(std::span(y).first(known), days_ahead(90));
    ASSERT_TRUE(outlook);
    EXPECT_EQ(outlook->too_short, known < 23);
    const BandQuantiles peak = outlook->peak();
    EXPECT_LT(peak.front(), 35) << known;
    EXPECT_GT(peak.back(), 35) << known;
    EXPECT_LT(peak.back(), 5 * 35) << known;
    EXPECT_LT(peak[3], 1.7 * 35) << known;
    EXPECT_LT(peak.back() / before, 2.6) << known;
    EXPECT_GT(peak.back() / std::exchange(before, peak.back()), 0.4) << known;
  }
}

// Whole thirties or nothing: the peak is thirty, not a band around it.
TEST(Ways, are_values_that_pause_drawn_again) {
  std::vector<double> y;
  for (std::size_t t = 0; t < 182; ++t) {
    RandomStream stream(5, Purpose::arrival, t);
    y.push_back(stream.uniform() < 0.3 ? 30 : 0);
  }
  y.back() = 0;
  const auto outlook = look_ahead(y, days_ahead(60));
  ASSERT_TRUE(outlook);
  for (const double quantile : outlook->peak()) EXPECT_NEAR(quantile, 30, 1e-6);
  EXPECT_EQ(crossing(*outlook, 31).probability(), 0);
  double mean = 0;
  for (const auto& path : outlook->paths)
    for (const double value : path) mean += value / 60 / 1000;
  EXPECT_NEAR(mean, 9, 1.5);
}

// Half of the days bring nothing, the others 20 with noise of a quarter: no event can be told from
// a pause, and what comes is like what came.
TEST(Ways, has_demand_that_pauses_no_events) {
  for (const double pausing : {0.15, 0.3, 0.5, 0.7, 0.88}) {
    for (std::uint64_t seed = 1; seed <= 8; ++seed) {
      std::vector<double> y;
      double most = 0;
      for (std::size_t t = 0; t < 126; ++t) {
        RandomStream stream(seed, Purpose::arrival, t);
        const bool pauses = stream.uniform() < pausing;
        y.push_back(pauses ? 0 : 20 * std::exp(0.25 * draw_normal(stream)));
        most = std::fmax(most, y.back());
      }
      const auto outlook = look_ahead(y, days_ahead(56));
      ASSERT_TRUE(outlook);
      EXPECT_TRUE(outlook->events.shifts.empty()) << pausing << ", " << seed;
      EXPECT_TRUE(outlook->events.odd.empty()) << pausing << ", " << seed;
      EXPECT_LT(outlook->peak().back(), 1.8 * most) << pausing << ", " << seed;
      EXPECT_NEAR(outlook->peak()[kMedianBand], most, 0.4 * most) << pausing << ", " << seed;
    }
  }
}

// Nothing for two months and then something every day, or the other way round: a beginning or an
// end, not a pause.
TEST(Ways, is_an_end_no_pause) {
  std::vector<double> y;
  for (std::size_t t = 0; t < 126; ++t) {
    RandomStream stream(1, Purpose::arrival, t);
    y.push_back(t < 100 ? 20 * std::exp(0.06 * draw_normal(stream)) : 0);
  }
  EXPECT_LT(look_ahead(y, days_ahead(28))->peak()[kMedianBand], 5);
  std::ranges::reverse(y);
  EXPECT_NEAR(look_ahead(y, days_ahead(28))->peak()[kMedianBand], 22.5, 2);
}

// Each November 1.6 times as much, by the calendar: it begins on the first, and has no odd parts.
TEST(Ways, does_a_month_of_the_year_begin_on_its_date) {
  constexpr double kStart = 19'601 * 86'400.0;  // 2023-09-01, a Friday
  std::vector<double> y;
  for (std::size_t t = 0; t < 1095; ++t) {
    RandomStream stream(1, Purpose::arrival, t);
    const std::string date = iso_time(kStart + 86'400.0 * static_cast<double>(t));
    const double level = (t + 4) % 7 < 5 ? 32 : 24;
    y.push_back(level * (date.substr(5, 2) == "11" ? 1.6 : 1) *
                std::exp(0.03 * draw_normal(stream)));
  }
  OutlookOptions options = days_ahead(90);
  options.start_s = kStart + 1095 * 86'400.0;  // 2026-08-31
  const auto outlook = look_ahead(y, options);
  ASSERT_TRUE(outlook);
  EXPECT_TRUE(outlook->events.odd.empty());
  EXPECT_TRUE(outlook->events.shifts.empty());
  const auto date = crossing(*outlook, 43).time_at(0.5);
  ASSERT_TRUE(date);
  EXPECT_EQ(iso_time(*date).substr(0, 10), "2026-11-02");  // the first is a Sunday
}

}  // namespace
}  // namespace plimsoll
