// What do days that are far from the usual do to a forecast, few or many, low or high?
#include <set>

#include <gtest/gtest.h>

#include "forecast/outlook/outlook.h"
#include "random/distributions.h"
#include "random/portable_math.h"

namespace plimsoll {
namespace {

constexpr std::size_t kHistory = 126;

// Twenty a day with noise of 6 %, of which so many days are `times` as much.
std::vector<double> with_odd_days(std::size_t odd, double times, std::uint64_t seed) {
  RandomStream which(seed, Purpose::import_window, 0);
  std::set<std::size_t> days;
  while (days.size() < odd)
    days.insert(static_cast<std::size_t>(which.uniform() * (kHistory - 3)));  // the end is usual
  std::vector<double> y;
  for (std::size_t t = 0; t < kHistory; ++t) {
    RandomStream stream(seed, Purpose::arrival, t);
    y.push_back(20 * portable_exp(0.06 * draw_normal(stream)) * (days.contains(t) ? times : 1));
  }
  return y;
}

BandQuantiles peak_of(const std::vector<double>& y) {
  OutlookOptions options;
  options.horizon = 56;
  options.step_s = kDayS;
  return look_ahead(y, options)->peak();
}

TEST(OddDays, do_low_ones_lift_no_peak_however_many_they_are) {
  for (const double times : {0.0, 0.1, 0.5}) {
    for (const std::size_t odd : {1u, 5u, 6u, 7u, 12u, 20u}) {
      for (std::uint64_t seed = 1; seed <= 3; ++seed) {
        const BandQuantiles peak = peak_of(with_odd_days(odd, times, seed));
        EXPECT_NEAR(peak[kMedianBand], 23.5, 2) << odd << " of " << times << ", " << seed;
        EXPECT_LT(peak.back(), 31) << odd << " of " << times << ", " << seed;
        EXPECT_GT(peak.front(), 20) << odd << " of " << times << ", " << seed;
      }
    }
  }
}

TEST(OddDays, do_high_ones_come_again_as_high_as_they_were) {
  for (const std::size_t odd : {5u, 6u, 7u, 12u, 20u}) {
    for (std::uint64_t seed = 1; seed <= 3; ++seed) {
      const BandQuantiles peak = peak_of(with_odd_days(odd, 3, seed));
      EXPECT_NEAR(peak[kMedianBand], 66, 7) << odd << ", " << seed;
      EXPECT_LT(peak.back(), 90) << odd << ", " << seed;
    }
  }
}

// Nothing is no share of the usual: the floor of logarithms is not for people.
TEST(OddDays, is_a_day_without_demand_nothing) {
  OutlookOptions options;
  options.horizon = 28;
  options.step_s = kDayS;
  const auto outlook = look_ahead(with_odd_days(3, 0, 1), options);
  ASSERT_FALSE(outlook->events.odd.empty());
  for (const Event& odd : outlook->events.odd) EXPECT_EQ(odd.times, 0);
}

// Of one day nobody knows how far others lie from it.
TEST(OddDays, are_sizes_known_better_by_more_of_them) {
  const auto width = [](std::size_t odd) {
    double sum = 0;
    for (std::uint64_t seed = 1; seed <= 4; ++seed)
      sum += peak_of(with_odd_days(odd, 4, seed)).back() / 4;
    return sum / 80;
  };
  EXPECT_LT(width(12), 1.4);
  EXPECT_GT(width(2), width(12));
}

}  // namespace
}  // namespace plimsoll
