#include "forecast/outlook/methods.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "random/portable_math.h"

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

// A weekend at 0.7 of the days beside it, on a line: the highest day is on the line, not below it
// by what the weekends take from the slope of all days together.
TEST(Methods, does_the_pattern_of_a_straight_line_grow_with_it) {
  constexpr std::size_t kDays = 182;
  const auto level = [](std::size_t t) {
    return (20 + 0.2 * static_cast<double>(t)) * (t % 7 >= 5 ? 0.7 : 1);
  };
  std::vector<double> logs;
  for (std::size_t t = 0; t < kDays; ++t) logs.push_back(portable_log(level(t)));
  const std::vector<double> ahead = straight_forecast(logs, 7, 60, 60);
  for (std::size_t h = 0; h < ahead.size(); ++h)
    EXPECT_NEAR(portable_exp(ahead[h]) / level(kDays + h), 1, 0.005) << h;
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

}  // namespace
}  // namespace plimsoll
