#include "forecast/outlook/events.h"

#include <algorithm>
#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "forecast/outlook/outlook.h"
#include "random/distributions.h"
#include "random/portable_math.h"
#include "slow_sanitized.h"
#include "stats/average.h"

namespace plimsoll {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

// Days of demand around a level, with lognormal noise.
template <class Level>
std::vector<double> days(std::size_t count, std::uint64_t seed, Level level, double noise = 0.05) {
  std::vector<double> y;
  for (std::size_t t = 0; t < count; ++t) {
    RandomStream stream(seed, Purpose::arrival, t);
    y.push_back(level(t) * portable_exp(noise * draw_normal(stream)));
  }
  return y;
}

Outlook ahead(const std::vector<double>& y, std::size_t horizon) {
  OutlookOptions options;
  options.horizon = horizon;
  options.step_s = kDayS;
  return look_ahead(y, options).value();
}

TEST(Events, is_a_launch_four_weeks_ago_the_new_level) {
  for (std::uint64_t seed = 1; seed <= 8; ++seed) {
    const auto y = days(126, seed, [](std::size_t t) { return t < 98 ? 32.1 : 44.9; });
    const Outlook outlook = ahead(y, 28);
    ASSERT_EQ(outlook.events.shifts.size(), 1u);
    EXPECT_NEAR(static_cast<double>(outlook.events.shifts[0].at), 98, 1);
    EXPECT_NEAR(portable_exp(outlook.events.shifts[0].log_size), 1.4, 0.1);
    EXPECT_NEAR(median_of(outlook.point), 44.9, 0.05 * 44.9) << seed;
  }
}

TEST(Events, does_a_launch_two_weeks_ago_not_widen_the_band) {
  for (std::uint64_t seed = 1; seed <= 8; ++seed) {
    const Outlook outlook =
        ahead(days(126, seed, [](std::size_t t) { return t < 112 ? 32.1 : 44.9; }), 28);
    EXPECT_GT(outlook.peak().front(), 41) << seed;
    EXPECT_LT(outlook.peak().back(), 65) << seed;
  }
}

// However young it is: neither part of it is an event, nor is its level found once more.
TEST(Events, is_a_declared_level_a_fact) {
  for (const std::size_t age : {3U, 6U, 8U, 10U, 12U, 14U, 20U}) {
    for (std::uint64_t seed = 1; seed <= 6; ++seed) {
      const auto y = days(84, seed, [&](std::size_t t) {
        return (t + age < 84 ? 35.4 : 1.4 * 35.4) * (t % 7 > 4 ? 0.8 : 1);
      });
      OutlookOptions options;
      options.horizon = 28;
      options.step_s = kDayS;
      options.known.shifts = {84 - age};
      const Outlook outlook = look_ahead(y, options).value();
      EXPECT_EQ(outlook.events.shifts.size(), 1u) << age << ' ' << seed;
      EXPECT_FALSE(outlook.events.undecided) << age << ' ' << seed;
      EXPECT_THAT(outlook.events.odd, IsEmpty()) << age << ' ' << seed;
      EXPECT_NEAR(outlook.peak()[kMedianBand], 1.4 * 39, 0.1 * 1.4 * 39) << age << ' ' << seed;
    }
  }
}

TEST(Events, is_a_level_that_goes_on_no_event_of_a_week) {
  for (const std::size_t age : {8U, 9U, 10U, 11U, 12U, 13U}) {
    for (std::uint64_t seed = 1; seed <= 6; ++seed) {
      const Outlook outlook =
          ahead(days(84, seed,
                     [&](std::size_t t) {
                       return (t + age < 84 ? 35.4 : 1.4 * 35.4) * (t % 7 > 4 ? 0.8 : 1);
                     }),
                28);
      EXPECT_EQ(outlook.events.undecided, std::optional(age)) << age << ' ' << seed;
      EXPECT_THAT(outlook.events.odd, IsEmpty()) << age << ' ' << seed;
    }
  }
}

// Four times the usual once in 91 days: in 28 more days with 1 - exp(-28 / 91) = 27 %.
TEST(Events, is_one_odd_day_no_trend_but_may_come_again) {
  for (std::uint64_t seed = 1; seed <= 8; ++seed) {
    const auto y = days(91, seed, [](std::size_t t) { return t == 88 ? 120.0 : 30.0; });
    const Outlook outlook = ahead(y, 28);
    EXPECT_NEAR(crossing(outlook, 50).probability(), 0.27, 0.1) << seed;
    EXPECT_LT(outlook.peak()[3], 40) << seed;
    ASSERT_EQ(outlook.events.odd.size(), 1u);
    EXPECT_EQ(outlook.events.odd[0].at, 88u);
  }
}

// 1.5 to 3 times as much for 5 to 8 days, 2 to 9 weeks ago.
TEST(Events, is_a_promotion_of_a_week_an_event) {
  for (std::uint64_t seed = 1; seed <= 12; ++seed) {
    const double size = 1.5 + 0.5 * static_cast<double>(seed % 4);
    const std::size_t length = 5 + seed % 4;
    const std::size_t from = 126 - 14 - 4 * seed - length;
    const auto level = [](std::size_t t) { return t % 7 < 5 ? 30.0 : 24.0; };
    const auto promoted = [&](std::size_t t) {
      return level(t) * (t >= from && t < from + length ? size : 1);
    };
    const Outlook outlook = ahead(days(126, seed, promoted, 0.08), 28);
    const Outlook without = ahead(days(126, seed, level, 0.08), 28);
    EXPECT_TRUE(outlook.events.shifts.empty()) << seed;
    ASSERT_EQ(outlook.events.odd.size(), 1u) << seed;
    EXPECT_EQ(outlook.events.odd[0].at, from) << seed;
    EXPECT_EQ(outlook.events.odd[0].steps, length) << seed;
    EXPECT_NEAR(portable_exp(outlook.events.odd[0].log_size), size, 0.15 * size) << seed;
    EXPECT_NEAR(outlook.peak()[3], without.peak()[3], 0.06 * without.peak()[3]) << seed;
    EXPECT_LT(outlook.peak().back(), 1.1 * without.peak().back()) << seed;
  }
}

// Neither a new level nor an event can be excluded: bands reach from the one to the other.
TEST(Events, does_a_level_of_a_few_days_widen_the_band) {
  for (const std::size_t age : {3u, 5u, 8u, 11u}) {
    for (std::uint64_t seed = 1; seed <= 6; ++seed) {
      const auto y = days(126, seed, [&](std::size_t t) { return t + age < 126 ? 32.1 : 51.4; });
      const Outlook outlook = ahead(y, 28);
      ASSERT_EQ(outlook.events.shifts.size(), 1u) << age << ", " << seed;
      EXPECT_NEAR(static_cast<double>(outlook.events.undecided.value_or(0)),
                  static_cast<double>(age), 1)
          << age << ", " << seed;
      EXPECT_GT(outlook.bands[20][3], 40) << age << ", " << seed;
      EXPECT_LT(outlook.bands[20][0], 36) << age << ", " << seed;
      EXPECT_GT(outlook.bands[20][6], 50) << age << ", " << seed;
    }
  }
}

// 3 % a week for so many weeks, with quieter weekends, and nothing more since; or the other way
// round.
double stopped(std::size_t t, std::size_t days) {
  return 20 * portable_pow(1.03, static_cast<double>(std::min(t, days)) / 7) *
         (t % 7 < 5 ? 1.08 : 0.8);
}
double began(std::size_t t, std::size_t days) {
  return 20 * portable_pow(1.03, static_cast<double>(t - std::min(t, days)) / 7) *
         (t % 7 < 5 ? 1.08 : 0.8);
}

TEST(Events, is_growth_that_stopped_not_continued) {
  int inside = 0;
  for (const std::size_t weeks : {4u, 6u, 10u, 16u}) {
    const std::size_t until = 182 - 7 * weeks;
    for (std::uint64_t seed = 1; seed <= 5; ++seed) {
      const auto all = days(
          182 + 90, seed, [&](std::size_t t) { return stopped(t, until); }, 0.03);
      const Outlook outlook = ahead({all.begin(), all.begin() + 182}, 90);
      EXPECT_TRUE(std::ranges::any_of(outlook.events.bends,
                                      [&](const Bend& bend) {
                                        return bend.chance > (weeks > 4 ? 0.5 : 0.05) &&
                                               bend.at < until + 16 && until < bend.at + 16;
                                      }))
          << weeks << ", " << seed;
      const double came = *std::max_element(all.begin() + 182, all.end());
      const BandQuantiles peak = outlook.peak();
      EXPECT_NEAR(peak[3], came, 0.2 * came) << weeks << ", " << seed;
      inside += came >= peak.front() && came <= peak.back() ? 1 : 0;
    }
  }
  EXPECT_GE(inside, 16);  // of 20
}

// A growth of six weeks reaches where its line leads, not where half a year on average did.
TEST(Events, is_growth_that_began_continued) {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    const auto all = days(
        182 + 56, seed, [](std::size_t t) { return began(t, 140); }, 0.03);
    const Outlook outlook = ahead({all.begin(), all.begin() + 182}, 56);
    const double came = *std::max_element(all.begin() + 182, all.end());
    EXPECT_NEAR(outlook.peak()[3], came, 0.15 * came) << seed;
  }
}

// Two weeks of another growth are doubtful: some paths take it, some do not.
TEST(Events, does_a_doubtful_bend_widen_the_band) {
  const auto width = [](std::size_t weeks, std::uint64_t seed) {
    const std::size_t until = 182 - 7 * weeks;
    const Outlook outlook =
        ahead(days(
                  182, seed, [&](std::size_t t) { return stopped(t, until); }, 0.06),
              56);
    return outlook.bands[55].back() / outlook.bands[55].front();
  };
  double young = 0, old = 0;
  for (std::uint64_t seed = 1; seed <= 6; ++seed) young += width(4, seed), old += width(20, seed);
  EXPECT_GT(young, 1.1 * old);
}

TEST(Events, has_noise_that_lasts_no_bends) {
  int found = 0;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    std::vector<double> walk{0};
    for (std::size_t t = 1; t < 182; ++t) {
      RandomStream stream(seed, Purpose::arrival, t);
      walk.push_back(walk.back() + 0.03 * draw_normal(stream));
    }
    for (const Bend& bend : find_bends(walk)) found += bend.chance >= 0.5 ? 1 : 0;
  }
  EXPECT_LE(found, 4);
}

TEST(Events, has_what_moves_all_the_time_none) {
  std::vector<double> walk{0};
  for (std::size_t t = 1; t < 200; ++t) {
    RandomStream stream(9, Purpose::arrival, t);
    walk.push_back(walk.back() + 0.05 * draw_normal(stream));
  }
  EXPECT_THAT(find_events(walk, 1).shifts, IsEmpty());
  std::vector<double> growth;
  for (int t = 0; t < 200; ++t) growth.push_back(2 / (1 + std::exp((80 - t) / 15.0)));
  EXPECT_THAT(find_events(growth, 1).shifts, IsEmpty());
  EXPECT_THAT(find_events(std::vector<double>(100, 1), 7).odd, IsEmpty());
}

TEST(Events, has_a_clean_week_hardly_an_odd_day) {
  const auto weekly = [](std::size_t t) { return t % 7 >= 5 ? 60.0 : 100.0; };
  for (const std::size_t count : {21u, 24u, 28u, 84u}) {
    int odd = 0;
    for (std::uint64_t seed = 1; seed <= 200; ++seed) {
      std::vector<double> logs = days(count, seed, weekly, 0.1);
      for (double& value : logs) value = portable_log(value);
      odd += find_events(logs, 7).odd.empty() ? 0 : 1;
    }
    EXPECT_LE(odd, 2) << count;
  }
}

// Two days at 1.6 times as much, half of which stay and half of which end within twelve days.
TEST(Events, does_the_band_of_the_peak_hold_what_a_level_of_two_days_becomes) {
  SLOW_SANITIZED();
  constexpr double kSize = 1.6;
  double within = 0;
  constexpr int kSeries = 20;
  constexpr int kFutures = 20;
  for (std::uint64_t seed = 1; seed <= kSeries; ++seed) {
    const auto level = [](std::size_t t) { return t < 124 ? 100.0 : 100.0 * kSize; };
    const BandQuantiles band = ahead(days(126, seed, level, 0.08), 28).peak();
    for (std::uint64_t k = 0; k < kFutures; ++k) {
      const std::size_t end = k % 2 == 0 ? 28 : 12 * k / kFutures;
      const auto came = days(
          28, 1000 * seed + k, [&](std::size_t t) { return t < end ? 100 * kSize : 100.0; }, 0.08);
      const double peak = *std::ranges::max_element(came);
      within += peak >= band.front() && peak <= band.back() ? 1 : 0;
    }
  }
  EXPECT_GT(within / (kSeries * kFutures), 0.8);
}

TEST(Events, are_they_named_with_date_and_size) {
  History history;
  history.dated = true;
  history.start_s = 1780272000;  // 2026-06-01
  history.step_s = kDayS;
  history.series = {{"requests_per_s", {}, days(126, 1, [](std::size_t t) {
                       return (t < 98 ? 32.1 : 44.9) * (t == 120 ? 4 : 1);
                     })}};
  OutlookOptions options;
  options.horizon = 28;
  const auto outlook = look_ahead(history, history.series[0], options);
  EXPECT_THAT(outlook->notes, Contains(HasSubstr("times the one before on 2026-09-07")));
  EXPECT_THAT(outlook->notes, Contains(HasSubstr("the value of 2026-09-29 is")));
}

// 3 % a week for 26 weeks, and a line that the truth crosses on day 60 of 90.
TEST(Growth, is_compound_growth_expected_to_go_on) {
  const auto level = [](std::size_t t) { return 20 * std::pow(1.03, static_cast<double>(t) / 7); };
  double chance = 0;
  for (std::uint64_t seed = 1; seed <= 8; ++seed) {
    chance += crossing(ahead(days(182, seed, level), 90), level(182 + 60)).probability() / 8;
  }
  EXPECT_GT(chance, 0.85);
}

TEST(Growth, do_twelve_weeks_tell_of_ninety_days) {
  const auto level = [](std::size_t t) { return t % 7 < 5 ? 40.0 : 24.0; };
  for (std::uint64_t seed = 1; seed <= 8; ++seed) {
    const Outlook outlook = ahead(days(84, seed, level), 90);
    EXPECT_EQ(outlook.season, 7u);
    EXPECT_FALSE(outlook.too_short);
    double sum = 0;
    for (const double value : outlook.point) sum += value / 90;
    EXPECT_NEAR(sum, 35.4, 0.06 * 35.4) << seed;
    EXPECT_NEAR(outlook.peak()[3], 45.5, 0.1 * 45.5) << seed;
  }
}

// Three years of days end with September.
// Fourteen months have one November: nobody can be sure that there is none, nor that there is.
TEST(Growth, may_a_season_that_was_seen_once_come_again) {
  OutlookOptions options;
  options.horizon = 60;
  options.step_s = kDayS;
  options.start_s = 20'744 * kDayS;  // 2026-10-18
  const auto y = days(426, 1, [](std::size_t t) {
    const std::size_t day = 20'744 - 426 + t;  // 2025-11-01 is day 20'393
    return (day >= 20'393 && day < 20'423 ? 1.6 : 1) * (t % 7 > 4 ? 80 : 100);
  });
  const Outlook outlook = look_ahead(y, options).value();
  EXPECT_NEAR(crossing(outlook, 135).probability(), 0.5, 0.1);
  EXPECT_THAT(outlook.notes, Contains(HasSubstr("that was seen once")));
}

TEST(Growth, is_november_foreseen) {
  const auto level = [](std::size_t t) {
    const std::size_t day = (t + 273) % 365;
    return day >= 304 && day < 334 ? 160.0 : 100.0;
  };
  for (std::uint64_t seed = 1; seed <= 4; ++seed) {
    const Outlook outlook = ahead(days(1095, seed, level), 60);
    EXPECT_NEAR(outlook.point[10], 100, 8) << seed;
    EXPECT_NEAR(outlook.point[45], 160, 12) << seed;
    EXPECT_THAT(outlook.notes, Contains(HasSubstr("a yearly pattern was found")));
  }
}

// Without a season the noise of a year before is no forecast of the year ahead.
TEST(Growth, is_no_yearly_pattern_seen_in_noise) {
  for (std::uint64_t seed = 1; seed <= 4; ++seed) {
    const Outlook outlook = ahead(days(1095, seed, [](std::size_t) { return 100.0; }), 60);
    EXPECT_THAT(outlook.notes, Not(Contains(HasSubstr("a yearly pattern was found")))) << seed;
    EXPECT_NEAR(outlook.point[45], 100, 4) << seed;
  }
}

}  // namespace
}  // namespace plimsoll
