#include "forecast/outlook/season.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "forecast/history/history.h"
#include "random/portable_math.h"

namespace plimsoll {
namespace {

using testing::DoubleNear;
using testing::ElementsAre;
using testing::Pointwise;

TEST(Season, are_day_and_week_told_from_noise) {
  EXPECT_THAT(season_candidates(3600), ElementsAre(24, 168));
  EXPECT_THAT(season_candidates(86'400), ElementsAre(7));
  EXPECT_THAT(season_candidates(7000), ElementsAre());
  const std::vector<std::size_t> hourly = season_candidates(3600);
  std::vector<double> daily, weekly, none;
  for (std::size_t t = 0; t < 24 * 7 * 4; ++t) {
    const double noise = static_cast<double>(t * 7919 % 101) / 101;
    daily.push_back(noise + (t % 24 < 8 ? 0 : 1));
    weekly.push_back(daily.back() - (t % 168 < 48 ? 0.7 : 0));
    none.push_back(noise + 0.01 * static_cast<double>(t));
  }
  EXPECT_EQ(find_season(daily, hourly), 24u);
  EXPECT_EQ(find_season(weekly, hourly), 168u);
  EXPECT_EQ(find_season(none, hourly), 1u);
  EXPECT_EQ(find_season(std::vector<double>(100, 0.1), hourly), 1u);
  EXPECT_EQ(find_season(std::span(daily).first(60), hourly), 1u);  // two days prove no pattern
}

// Growth that slows lies above the mean of the week around it on every day.
TEST(Season, is_a_curve_no_pattern_of_the_week) {
  const std::vector<std::size_t> week{7};
  std::vector<double> y;
  for (int t = 0; t < 21; ++t) y.push_back(portable_log(10.0 + t));
  EXPECT_EQ(find_season(y, week), 1u);
}

TEST(Season, is_a_weekend_seen_before_three_weeks_are_over) {
  const auto days = [](std::size_t count, double weekend) {
    std::vector<double> logs;
    for (std::size_t t = 0; t < count; ++t)
      logs.push_back((t % 7 >= 5 ? weekend : 0) + static_cast<double>(t * 7919 % 101) / 1010);
    return logs;
  };
  EXPECT_THAT(short_week(days(18, -0.5), kDayS),
              Pointwise(DoubleNear(0.05), {0., 0., 0., 0., 0., -0.5, -0.5}));
  EXPECT_THAT(short_week(days(10, -0.5), kDayS), testing::SizeIs(7));  // one weekend and days after
  EXPECT_THAT(short_week(days(14, 0.5), kDayS), testing::SizeIs(7));
  EXPECT_THAT(short_week(days(10, 0.5), kDayS), testing::IsEmpty());  // as likely an event
  EXPECT_THAT(short_week(days(18, 0), kDayS), testing::IsEmpty());
  EXPECT_THAT(short_week(days(7, -0.5), kDayS), testing::IsEmpty());  // as likely a fall at the end
  EXPECT_THAT(short_week(days(21, -0.5), kDayS), testing::IsEmpty());  // enough for find_season()
  // Saturday and Sunday, by the calendar.
  EXPECT_THAT(short_week(days(10, 0.5), kDayS, 5), testing::SizeIs(7));
  EXPECT_THAT(short_week(days(7, -0.5), kDayS, 5), testing::SizeIs(7));
  EXPECT_THAT(short_week(days(10, 0.5), kDayS, 4), testing::IsEmpty());
  EXPECT_THAT(short_week(days(10, -0.5), kDayS, 6), testing::SizeIs(7));  // Friday and Saturday
  EXPECT_THAT(short_week(days(10, -0.5), kDayS, 3), testing::IsEmpty());
  std::vector<double> shift = days(18, 0);
  for (std::size_t t = 9; t < shift.size(); ++t) shift[t] += 0.4;
  EXPECT_THAT(short_week(shift, kDayS), testing::IsEmpty());
  std::vector<double> growth = days(18, 0);
  for (std::size_t t = 0; t < growth.size(); ++t) growth[t] += 0.05 * static_cast<double>(t);
  EXPECT_THAT(short_week(growth, kDayS), testing::IsEmpty());
  std::vector<double> hours;
  for (const double day : days(12, -0.5))
    for (int hour = 0; hour < 24; ++hour) hours.push_back(day + (hour < 8 ? -1 : 0));
  EXPECT_THAT(short_week(hours, 3600), testing::SizeIs(7));
}

TEST(Season, knows_which_day_is_a_saturday) {
  constexpr double kThursday = 0;  // 1970-01-01
  EXPECT_EQ(first_saturday(kThursday, 0), 2u);
  EXPECT_EQ(first_saturday(kThursday + 2 * kDayS, 0), 0u);
  EXPECT_EQ(first_saturday(kThursday + 2 * kDayS, -8 * 3600), 0u);  // from Friday, 16:00, on
  EXPECT_EQ(first_saturday(kThursday + 2.6 * kDayS, 0), 6u);
  EXPECT_EQ(first_saturday(-kDayS, 9 * 3600), 3u);
}

// Five days alike and two at another level, with noise: what differs by luck alone is one level.
TEST(Season, do_phases_that_cannot_be_told_apart_share_one_level) {
  std::vector<double> y;
  for (std::size_t t = 0; t < 56; ++t) {
    const double noise = static_cast<double>(t * 7919 % 101) / 101 - 0.5;
    y.push_back((t % 7 >= 5 ? 70 : 100) + noise);
  }
  const std::vector<double> middles = middles_of(y, 7);
  EXPECT_THAT(middles, Pointwise(DoubleNear(0.5), {100.0, 100.0, 100.0, 100.0, 100.0, 70.0, 70.0}));
  for (std::size_t phase = 1; phase < 5; ++phase) EXPECT_EQ(middles[phase], middles[0]);
  EXPECT_EQ(middles[6], middles[5]);
  EXPECT_LT(middles[5], middles[0]);
}

// A rise is no part of the pattern, nor does a phase that is clearly another one join the others.
TEST(Season, is_the_pattern_around_the_level_that_rises) {
  std::vector<double> y;
  for (std::size_t t = 0; t < 70; ++t)
    y.push_back(static_cast<double>(t) + (t % 7 == 3 ? 7 : 0) +
                static_cast<double>(t * 7919 % 101) / 1010);
  const std::vector<double> pattern = pattern_of_season(y, 7);
  for (std::size_t phase = 0; phase < 7; ++phase)
    EXPECT_NEAR(pattern[phase], phase == 3 ? 6 : -1, 0.1) << phase;
}

}  // namespace
}  // namespace plimsoll
