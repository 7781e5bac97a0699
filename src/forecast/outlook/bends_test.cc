#include "forecast/outlook/bends.h"

#include <cmath>

#include <gmock/gmock.h>

#include "forecast/outlook/outlook.h"
#include "random/distributions.h"
#include "random/portable_math.h"

namespace plimsoll {
namespace {

using testing::IsEmpty;

// Days of demand along a line, with lognormal noise.
template <class Line>
std::vector<double> days_along(std::size_t count, std::uint64_t seed, Line line, double noise) {
  std::vector<double> y;
  for (std::size_t t = 0; t < count; ++t) {
    RandomStream stream(seed, Purpose::arrival, t);
    y.push_back(line(t) * portable_exp(noise * draw_normal(stream)));
  }
  return y;
}

BandQuantiles peak_in_a_month(const std::vector<double>& y) {
  OutlookOptions options;
  options.horizon = 30;
  options.step_s = kDayS;
  return look_ahead(y, options).value().peak();
}

// A line of the logarithms would make 540 of it.
TEST(Bends, does_growth_that_began_go_on_along_a_straight_line) {
  for (const std::size_t since : {40u, 90u}) {
    for (std::uint64_t seed = 1; seed <= 5; ++seed) {
      const auto line = [&](std::size_t t) {
        return t + since < 150 ? 100 : 100 + 4 * static_cast<double>(t + since - 150);
      };
      const BandQuantiles peak = peak_in_a_month(days_along(150, seed, line, 0.04));
      const double truth = 1.05 * line(179);  // the highest of days with noise
      EXPECT_NEAR(peak[kMedianBand], truth, 0.15 * truth) << since << ' ' << seed;
    }
  }
}

// The days near either end of steep growth lie far from the median of six weeks.
TEST(Bends, has_steep_growth_no_events) {
  for (const std::size_t count : {45u, 90u, 120u}) {
    for (std::uint64_t seed = 1; seed <= 12; ++seed) {
      std::vector<double> logs = days_along(
          count, seed, [](std::size_t t) { return 20 * std::pow(1.04, t); }, 0.02);
      for (double& value : logs) value = portable_log(value);
      const Events events = find_events(logs, 1);
      EXPECT_THAT(events.odd, IsEmpty()) << count << ' ' << seed;
      EXPECT_THAT(events.shifts, IsEmpty()) << count << ' ' << seed;
    }
  }
}

}  // namespace
}  // namespace plimsoll
