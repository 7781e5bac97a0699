#include "forecast/outlook/methods.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace plimsoll {
namespace {

using testing::DoubleNear;
using testing::ElementsAre;
using testing::Pointwise;

TEST(Methods, do_the_naive_ones_repeat_what_was_last) {
  const std::vector<double> y{1, 2, 3, 4, 5};
  EXPECT_THAT(naive_forecast(y, 2), ElementsAre(5, 5));
  EXPECT_THAT(seasonal_naive_forecast(y, 3, 5), ElementsAre(3, 4, 5, 3, 4));
}

// The outlier does not move the median of the slopes; it makes their standard error a bit larger.
TEST(Methods, is_the_trend_not_moved_by_an_outlier) {
  std::vector<double> y;
  for (int t = 1; t <= 24; ++t) y.push_back(t == 20 ? t + 5 : t);
  EXPECT_THAT(line_forecast(y, 1, 2, 2), Pointwise(DoubleNear(0.05), {25.0, 26.0}));
}

TEST(Methods, does_the_trend_keep_the_pattern_of_the_season) {
  std::vector<double> y;
  for (int t = 0; t < 20; ++t) y.push_back(10 + 0.5 * t + (t % 4 == 0 ? 3 : 0));
  EXPECT_THAT(line_forecast(y, 4, 5, 5),
              Pointwise(DoubleNear(0.05), {23.0, 20.5, 21.0, 21.5, 25.0}));
}

// Two steps are trusted: after that each step rises half as much as the one before.
TEST(Methods, does_the_trend_fade_beyond_what_was_tested) {
  const std::vector<double> y{1, 2, 3, 4, 5, 6, 7, 8};
  EXPECT_THAT(line_forecast(y, 1, 5, 2), ElementsAre(9, 10, 10.5, 10.75, 10.875));
}

TEST(Methods, is_what_is_steady_the_middle_of_the_last_eight_seasons) {
  std::vector<double> y(40, 100);
  for (int t = 0; t < 8 * 4; ++t) y.push_back(t % 4 == 0 ? 8 : t == 13 ? 1000 : 4);
  EXPECT_THAT(steady_forecast(y, 4, 5), ElementsAre(8, 4, 4, 4, 8));
}

// By hand from the equations: level 2 from the mean, trend 0; y = 4: level 0.5 * 4 + 0.5 * 2 = 3,
// trend 0.5 * 1 = 0.5; ahead 3 + 0.5 * 0.5, 3 + (0.5 + 0.25) * 0.5.
TEST(HoltWinters, does_it_follow_the_published_equations) {
  HoltWinters state(std::vector<double>{2, 2, 2, 2}, 1, {0.5, 0.5, 0, 0.5});
  EXPECT_EQ(state.expected(), 2);
  state.absorb(4);
  EXPECT_THAT(state.forecast(2), ElementsAre(3.25, 3.375));
}

TEST(HoltWinters, is_a_series_that_repeats_itself_continued) {
  std::vector<double> y;
  for (int t = 0; t < 24; ++t) y.push_back(t % 4 == 0 ? 8 : 4);
  HoltWinters state(y, 4, fit_holt_winters(y, 4));
  for (const double v : y) state.absorb(v);
  EXPECT_THAT(state.forecast(5), Pointwise(DoubleNear(1e-9), {8.0, 4.0, 4.0, 4.0, 8.0}));
}

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

}  // namespace
}  // namespace plimsoll
