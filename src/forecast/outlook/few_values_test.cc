#include "forecast/outlook/stopped.h"

#include <cmath>
#include <vector>

#include <gtest/gtest.h>

#include "forecast/history/history.h"
#include "forecast/outlook/outlook.h"
#include "random/distributions.h"

namespace plimsoll {
namespace {

constexpr double kTurn = 2 * 3.14159265358979323846;
constexpr double kHourS = 3600;

OutlookOptions few_ahead(std::size_t horizon, double step_s) {
  OutlookOptions options;
  options.horizon = horizon;
  options.step_s = step_s;
  return options;
}

// A product that gains as much each week, from nothing on, whether or not the history begins with
// it.
TEST(FewValues, does_a_product_that_grows_from_nothing_go_on_along_its_line) {
  for (const std::size_t silent : {0U, 42U}) {
    for (const double noise : {0.0, 0.05}) {
      std::vector<double> y(silent);
      for (std::size_t t = 0; t < 42; ++t) {
        RandomStream stream(t, Purpose::arrival, 1);
        y.push_back(0.25 * static_cast<double>(t + 1) * std::exp(noise * draw_normal(stream)));
      }
      const BandQuantiles peak = look_ahead(y, few_ahead(28, kDayS))->peak();
      EXPECT_NEAR(peak[kMedianBand], 18.3, 2.5) << silent << ' ' << noise;
      EXPECT_LT(peak.front(), 17.5) << silent << ' ' << noise;
      EXPECT_GT(peak.back(), 17.5) << silent << ' ' << noise;
      EXPECT_LT(peak.back(), 32) << silent << ' ' << noise;
    }
  }
}

// One or two days of hours do not show that they repeat themselves, but that is what hours do.
TEST(FewValues, is_the_peak_of_a_day_or_two_about_that_of_those_to_come) {
  for (const double days : {1.0, 1.5, 2.0}) {
    for (const double noise : {0.0, 0.05}) {
      std::vector<double> y;
      for (std::size_t t = 0; t < static_cast<std::size_t>(24 * days); ++t) {
        RandomStream stream(t, Purpose::arrival, 2);
        const double hour = kTurn * static_cast<double>(t) / 24;
        y.push_back((10 + 5 * std::sin(hour)) * std::exp(noise * draw_normal(stream)));
      }
      const auto outlook = look_ahead(y, few_ahead(28 * 24, kHourS));
      ASSERT_TRUE(outlook);
      EXPECT_TRUE(outlook->too_short);
      EXPECT_NEAR(outlook->peak()[kMedianBand], 16.5, 2.5) << days << ' ' << noise;
    }
  }
}

TEST(FewValues, are_five_days_after_months_of_nothing_too_few) {
  std::vector<double> y(79);
  y.insert(y.end(), {17.5, 18, 17.3, 17.8, 17.6});
  const auto outlook = look_ahead(y, few_ahead(28, kDayS));
  ASSERT_TRUE(outlook);
  EXPECT_TRUE(outlook->too_short);
  EXPECT_NEAR(outlook->peak()[kMedianBand], 19, 2.5);
}

}  // namespace
}  // namespace plimsoll
