#include "forecast/outlook/events.h"

#include <algorithm>
#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "forecast/outlook/outlook.h"
#include "random/distributions.h"
#include "random/portable_math.h"

namespace plimsoll {
namespace {

using testing::IsEmpty;
using testing::SizeIs;

constexpr std::size_t kLength = 180;  // days

// From one level to `times` as much, which is reached `since` days before the end, on a straight
// line of `length` days.
std::vector<double> ramped(double times, std::size_t length, std::size_t since, std::uint64_t seed,
                           double noise = 0.05, double weekend = 0.75) {
  std::vector<double> y;
  const auto at = static_cast<double>(kLength - since - length);
  for (std::size_t t = 0; t < kLength; ++t) {
    RandomStream stream(seed, Purpose::arrival, t);
    const double gone = (static_cast<double>(t) - at + 1) / static_cast<double>(length);
    const double level = 12 * (1 + (times - 1) * std::clamp(gone, 0.0, 1.0));
    y.push_back(level * (t % 7 > 4 ? weekend : 1) * portable_exp(noise * draw_normal(stream)));
  }
  return y;
}

Outlook seen_from(const std::vector<double>& y, std::size_t horizon = 43) {
  OutlookOptions options;
  options.horizon = horizon;
  options.step_s = kDayS;
  return look_ahead(y, options).value();
}

TEST(Ramps, goes_a_ramp_straight_from_one_level_to_the_other) {
  const Ramp ramp{10, 4, portable_log(3)};
  EXPECT_EQ(reached(ramp, 9), 0);
  EXPECT_DOUBLE_EQ(portable_exp(reached(ramp, 10)), 1.5);
  EXPECT_DOUBLE_EQ(portable_exp(reached(ramp, 11)), 2);
  EXPECT_DOUBLE_EQ(reached(ramp, 13), ramp.log_size);
  EXPECT_DOUBLE_EQ(reached(ramp, 99), ramp.log_size);
}

// The highest of 43 days of noise of 5 % around 19.2 lies at 21.4 (20.7 to 22.3).
TEST(Ramps, is_what_a_launch_reached_in_stages_the_level_to_come) {
  for (const auto& [length, since] :
       {std::pair<std::size_t, std::size_t>{7, 30}, {14, 58}, {21, 58}, {28, 90}}) {
    for (std::uint64_t seed = 1; seed <= 6; ++seed) {
      const Outlook outlook = seen_from(ramped(1.6, length, since, seed));
      ASSERT_THAT(outlook.events.shifts, SizeIs(1)) << length << ' ' << seed;
      const Event& ramp = outlook.events.shifts.front();
      EXPECT_NEAR(static_cast<double>(ramp.at), static_cast<double>(kLength - since - length), 5)
          << length << ' ' << seed;
      EXPECT_NEAR(static_cast<double>(ramp.steps), static_cast<double>(length), 10)
          << length << ' ' << seed;
      EXPECT_NEAR(portable_exp(ramp.log_size), 1.6, 0.16) << length << ' ' << seed;
      EXPECT_NEAR(outlook.peak()[kMedianBand], 21.4, 1.5) << length << ' ' << seed;
      EXPECT_LT(outlook.peak().back(), 26) << length << ' ' << seed;
    }
  }
}

TEST(Ramps, is_what_a_fall_over_weeks_left_the_level_to_come) {
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    const Outlook outlook = seen_from(ramped(0.5, 14, 49, seed));
    EXPECT_NEAR(outlook.peak()[kMedianBand], 6.7, 0.5) << seed;
    EXPECT_LT(outlook.peak().back(), 8.2) << seed;
  }
}

// What came before, nothing, does not tell how restless it is.
TEST(Ramps, is_a_route_that_began_in_stages_on_its_level) {
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    std::vector<double> y;
    for (std::size_t t = 0; t < 150; ++t) {
      RandomStream stream(seed, Purpose::arrival, t);
      const double share = std::clamp((static_cast<double>(t) - 94) / 14, 0.0, 1.0);
      y.push_back(3 * share * portable_exp(0.04 * draw_normal(stream)));
    }
    const Outlook outlook = seen_from(y, 42);
    EXPECT_NEAR(outlook.peak()[kMedianBand], 3.3, 0.25) << seed;
    EXPECT_LT(outlook.peak().back(), 4.5) << seed;
    EXPECT_GT(outlook.peak().front(), 3) << seed;
  }
}

// An S-curve that takes two months is growth until it ends; so is a ramp of two months.
TEST(Ramps, is_growth_over_months_no_ramp) {
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    for (const double middle : {60.0, 90.0, 120.0}) {
      std::vector<double> y = ramped(1, 1, 20, seed, 0.08);
      for (std::size_t t = 0; t < y.size(); ++t)
        y[t] *= 1 + 4 / (1 + portable_exp((middle - static_cast<double>(t)) / 18));
      EXPECT_FALSE(std::ranges::any_of(seen_from(y).events.shifts,
                                       [](const Event& shift) { return shift.steps > 1; }))
          << middle << ' ' << seed;
    }
    EXPECT_FALSE(find_ramp(ramped(1.8, 60, 40, seed, 0.05, 1))) << seed;
  }
}

TEST(Ramps, has_what_does_not_change_none) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed)
    EXPECT_THAT(seen_from(ramped(1, 1, 20, seed, 0.08)).events.shifts, IsEmpty()) << seed;
  EXPECT_FALSE(find_ramp(std::vector<double>(180, 1)));
  EXPECT_FALSE(find_ramp({}));
}

// Two steps, of 40 % each and some days apart, are no ramp of those days.
TEST(Ramps, are_steps_in_quick_succession_steps) {
  constexpr std::size_t kFirst = 110;
  int pairs = 0;
  for (const std::size_t apart : {14U, 20U}) {
    for (std::uint64_t seed = 1; seed <= 6; ++seed) {
      std::vector<double> y;
      for (std::size_t t = 0; t < kLength; ++t) {
        RandomStream stream(seed, Purpose::arrival, t);
        const double level = 10 * (t < kFirst ? 1 : 1.4) * (t < kFirst + apart ? 1 : 1.4);
        y.push_back(level * portable_exp(0.03 * draw_normal(stream)));
      }
      const std::vector<Event> shifts = seen_from(y).events.shifts;
      for (const Event& shift : shifts)
        EXPECT_GT(std::fabs(portable_log(shift.times)), 0.2) << "a step within a ramp";
      pairs += shifts.size() == 2 ? 1 : 0;
    }
  }
  EXPECT_GE(pairs, 9) << "of 12";
}

}  // namespace
}  // namespace plimsoll
