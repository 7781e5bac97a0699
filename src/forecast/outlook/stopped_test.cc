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
  for (const std::size_t silent : {14, 20, 60, 100}) {
    const auto outlook = look_ahead(growth_then(silent), of_days(90));
    ASSERT_TRUE(outlook);
    EXPECT_TRUE(outlook->has_stopped());
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

TEST(Stopped, demand_is_not_that_pauses_as_long_before) {
  const auto stop = [](const std::vector<double>& y, const KnownDemand& known = {}) {
    return stop_of(y, LogScale(y), 1, known);
  };
  std::vector<double> y = growth_then(3);
  EXPECT_EQ(stop(y), 100u);
  EXPECT_FALSE(stop(growth_then(1))) << "an odd day";
  KnownDemand known;
  known.left_out = {{100, 103}};
  EXPECT_FALSE(stop(y, known)) << "an outage that somebody named";
  std::fill(y.begin() + 40, y.begin() + 43, 0.0);
  EXPECT_FALSE(stop(y));
  EXPECT_FALSE(stop(std::vector<double>(50))) << "there was none";
}

}  // namespace
}  // namespace plimsoll
