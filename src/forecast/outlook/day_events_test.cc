// What do odd days, weekends and a launch do to a forecast from less than three weeks?
#include "forecast/outlook/events.h"

#include <algorithm>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "forecast/outlook/outlook.h"
#include "forecast/outlook/ways.h"
#include "random/distributions.h"
#include "random/portable_math.h"

namespace plimsoll {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr std::size_t kHours = 24;

// Thirty on a usual day with noise of 5 %; `times`: by day.
template <class Times>
History days_of(std::size_t count, std::uint64_t seed, Times times) {
  History history;
  history.step_s = kDayS;
  history.dated = true;
  HistorySeries& series = history.series.emplace_back();
  for (std::size_t t = 0; t < count; ++t) {
    RandomStream stream(seed, Purpose::arrival, t);
    series.values.push_back(30 * times(t) * portable_exp(0.05 * draw_normal(stream)));
  }
  return history;
}

// Thirty by day and twelve at night.
template <class Times>
History hours_of(std::size_t days, std::uint64_t seed, Times times) {
  History history = days_of(days * kHours, seed, [&](std::size_t hour) {
    return times(hour / kHours) * (hour % kHours < 8 ? 0.4 : 1);
  });
  history.step_s = kDayS / kHours;
  return history;
}

Outlook four_weeks_ahead(const History& history) {
  OutlookOptions options;
  options.horizon = static_cast<std::size_t>(28 * kDayS / history.step_s);
  return look_ahead(history, history.series[0], options).value();
}

TEST(ShortHistory, is_an_odd_day_no_trend_wherever_it_lies) {
  for (const std::size_t count : {14u, 17u, 20u}) {
    for (const std::size_t odd : {std::size_t{0}, std::size_t{6}, count - 2, count - 1}) {
      for (std::uint64_t seed = 1; seed <= 3; ++seed) {
        const double size = seed % 2 == 0 ? 3 : 4;
        const Outlook outlook = four_weeks_ahead(
            days_of(count, seed, [&](std::size_t t) { return t == odd ? size : 1; }));
        const Outlook without =
            four_weeks_ahead(days_of(count, seed, [](std::size_t) { return 1; }));
        ASSERT_EQ(outlook.events.odd.size(), 1u) << count << ' ' << odd << ' ' << seed;
        EXPECT_EQ(outlook.events.odd[0].at, odd);
        EXPECT_THAT(outlook.events.shifts, IsEmpty()) << count << ' ' << odd << ' ' << seed;
        EXPECT_NEAR(outlook.point[20], 30, 3) << count << ' ' << odd << ' ' << seed;
        EXPECT_LT(outlook.bands[20][kNinety], 1.3 * without.bands[20][kNinety])
            << count << ' ' << odd << ' ' << seed;
        EXPECT_LT(outlook.peak()[kMedianBand], 1.5 * without.peak()[kMedianBand])
            << count << ' ' << odd << ' ' << seed;
        EXPECT_THAT(outlook.notes, Contains(HasSubstr("left out of the trend")));
      }
    }
  }
}

TEST(ShortHistory, do_high_days_at_the_end_widen_the_band) {
  for (const std::size_t count : {14u, 17u, 20u}) {
    for (const std::size_t age : {2u, 3u, 4u}) {
      for (std::uint64_t seed = 1; seed <= 3; ++seed) {
        const Outlook outlook = four_weeks_ahead(
            days_of(count, seed, [&](std::size_t t) { return t + age < count ? 1 : 1.7; }));
        EXPECT_EQ(outlook.events.undecided, std::optional(age)) << count << ' ' << seed;
        EXPECT_THAT(outlook.events.odd, IsEmpty()) << count << ' ' << age << ' ' << seed;
        EXPECT_LT(outlook.bands[20].front(), 36) << count << ' ' << age << ' ' << seed;
        EXPECT_GT(outlook.bands[20].back(), 48) << count << ' ' << age << ' ' << seed;
      }
    }
  }
}

// An odd day among weekends of 0.6 does not hide them, nor is any of them odd.
TEST(ShortHistory, does_an_odd_day_not_hide_weekends) {
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    const Outlook outlook = four_weeks_ahead(days_of(17, seed, [](std::size_t t) {
      return t == 9 ? 3.0 : t % 7 == 5 || t % 7 == 6 ? 0.6 : 1;
    }));
    ASSERT_EQ(outlook.events.odd.size(), 1u) << seed;
    EXPECT_EQ(outlook.events.odd[0].at, 9u) << seed;
    EXPECT_THAT(outlook.notes, Contains(HasSubstr("of each week have")));
  }
}

// As of hours whose first day is so many days after a Saturday.
Outlook with_two_busy_days(std::size_t first, std::uint64_t seed, std::size_t after_saturday) {
  History history = hours_of(
      9, seed, [&](std::size_t day) { return day == first || day == first + 1 ? 1.7 : 1; });
  history.start_s = kDayS * static_cast<double>(2 + after_saturday);  // Saturday, 1970-01-03
  return four_weeks_ahead(history);
}

// Two days that came once: an event, or a habit. Neither growth nor a new level.
TEST(ShortHistory, are_two_busy_days_no_growth_of_hours) {
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    const std::size_t first = 2 + seed % 4;
    const Outlook outlook = with_two_busy_days(first, seed, 1);
    EXPECT_THAT(outlook.events.shifts, IsEmpty()) << seed;
    ASSERT_EQ(outlook.events.odd.size(), 2u) << seed;
    EXPECT_EQ(outlook.events.odd[0].at, kHours * first) << seed;
    EXPECT_LT(outlook.peak().front(), 40) << seed;
    EXPECT_GT(outlook.peak().back(), 51) << seed;
    EXPECT_LT(outlook.peak().back(), 100) << seed;
    EXPECT_THAT(outlook.notes, Contains(HasSubstr("every week with a chance of 50.0 %"))) << seed;
  }
}

TEST(ShortHistory, is_a_busy_saturday_and_sunday_one_of_every_week) {
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    const std::size_t first = 2 + seed % 4;
    const Outlook outlook = with_two_busy_days(first, seed, 7 - first);
    EXPECT_THAT(outlook.events.odd, IsEmpty()) << seed;
    EXPECT_NEAR(outlook.peak()[kMedianBand], 56, 9) << seed;
    EXPECT_THAT(outlook.notes, Contains(HasSubstr("Saturday and Sunday of each week"))) << seed;
  }
}

// Its last day may lack a scrape.
TEST(ShortHistory, is_a_new_level_whether_or_not_its_last_day_is_whole) {
  for (std::uint64_t seed = 1; seed <= 4; ++seed) {
    History history = hours_of(10, seed, [](std::size_t day) { return day >= 7 ? 1.5 : 1; });
    const Outlook whole = four_weeks_ahead(history);
    history.series[0].values.pop_back();
    const Outlook less = four_weeks_ahead(history);
    EXPECT_EQ(less.events.odd.size(), whole.events.odd.size()) << seed;
    EXPECT_EQ(less.events.undecided, whole.events.undecided) << seed;
    EXPECT_NEAR(less.peak()[kMedianBand] / whole.peak()[kMedianBand], 1, 0.1) << seed;
  }
}

// One sample less than the three weeks that a season takes.
TEST(ShortHistory, has_its_weekend_to_the_end_of_three_weeks) {
  History history =
      hours_of(21, 1, [](std::size_t day) { return day % 7 == 2 || day % 7 == 3 ? 0.6 : 1; });
  history.series[0].values.pop_back();
  EXPECT_THAT(four_weeks_ahead(history).notes,
              Contains(HasSubstr("Saturday and Sunday of each week")));
}

// The horizon is too far for any method to be tested; the weekend is known all the same.
TEST(ShortHistory, has_its_weekend_however_far_the_horizon_is) {
  History history = hours_of(7, 1, [](std::size_t day) { return day == 2 || day == 3 ? 0.6 : 1; });
  OutlookOptions options;
  for (const std::size_t days : {28u, 40u}) {
    options.horizon = days * kHours;
    const Outlook outlook = look_ahead(history, history.series[0], options).value();
    EXPECT_EQ(outlook.too_short, days > 28);
    EXPECT_THAT(outlook.events.shifts, IsEmpty());
    EXPECT_NEAR(outlook.peak()[kMedianBand], 33, 5);
    EXPECT_THAT(outlook.notes, Contains(HasSubstr("Saturday and Sunday of each week")));
  }
}

TEST(ShortHistory, is_a_busy_day_seen_twice_one_of_every_week) {
  for (std::uint64_t seed = 1; seed <= 4; ++seed) {
    const Outlook outlook = four_weeks_ahead(
        hours_of(10, seed, [](std::size_t day) { return day % 7 == 1 ? 1.7 : 1; }));
    ASSERT_EQ(outlook.events.odd.size(), 2u) << seed;
    EXPECT_EQ(outlook.events.odd[1].weeks, 2u) << seed;
    EXPECT_NEAR(outlook.peak()[kMedianBand], 56, 9) << seed;
  }
  EXPECT_DOUBLE_EQ(chance_of_every_week(1), 0.5);
  EXPECT_DOUBLE_EQ(chance_of_every_week(2), 0.875);
}

TEST(ShortHistory, is_a_launch_not_averaged_away_in_hours) {
  for (const std::size_t age : {2u, 3u, 5u}) {
    for (std::uint64_t seed = 1; seed <= 3; ++seed) {
      const Outlook outlook = four_weeks_ahead(
          hours_of(10, seed, [&](std::size_t day) { return day + age < 10 ? 1 : 1.7; }));
      EXPECT_EQ(outlook.events.undecided, std::optional(age)) << seed;
      EXPECT_NEAR(outlook.peak()[kMedianBand], 57, 9) << age << ' ' << seed;
      EXPECT_LT(outlook.bands[20 * kHours + 12].front(), 36) << age << ' ' << seed;
      EXPECT_THAT(outlook.notes, Contains(HasSubstr("days cannot tell a new level from an event")));
    }
  }
}

TEST(ShortHistory, have_days_of_hours_a_wide_band_and_a_note) {
  for (std::size_t count = 3; count <= 7; ++count) {
    for (std::uint64_t seed = 1; seed <= 3; ++seed) {
      const Outlook outlook =
          four_weeks_ahead(hours_of(count, seed, [](std::size_t) { return 1; }));
      const BandQuantiles peak = outlook.peak();
      EXPECT_LT(peak.front(), 35) << count << ' ' << seed;
      EXPECT_GT(peak.back(), 35) << count << ' ' << seed;
      EXPECT_LT(peak.back(), 4 * 35) << count << ' ' << seed;
      EXPECT_THAT(outlook.notes, Contains(HasSubstr("no day of the week came twice"))) << count;
    }
  }
}

}  // namespace
}  // namespace plimsoll
