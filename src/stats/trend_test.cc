#include "stats/trend.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>

#include "stats/batch_means.h"

namespace plimsoll {
namespace {

using Values = std::vector<double>;

// The largest x in [low, high] for which `is` holds, to a millionth; it holds for smaller ones.
double turning_point(double low, double high, const std::function<bool(double)>& is) {
  EXPECT_TRUE(is(low));
  EXPECT_FALSE(is(high));
  for (int i = 0; i < 60; ++i) {
    const double middle = (low + high) / 2;
    (is(middle) ? low : high) = middle;
  }
  return low;
}

double alternating(std::size_t i) { return i % 2 == 0 ? 1 : -1; }

TEST(Trend, are_batch_averages_those_of_equal_parts_at_the_end) {
  const Values seven{100, 1, 3, 5, 7, 9, 11};
  EXPECT_EQ(batch_averages(seven, 3), (Values{2, 6, 10}));
  EXPECT_EQ(batch_averages(seven, 7), seven);
}

/// Of 60 cells the last 40 are looked at, as 20 batches of two: a line of so much per batch that
/// starts at 10, and what `residual` says around it.
Values line(double per_batch, const std::function<double(std::size_t)>& residual) {
  Values series(20, 1e6);
  for (std::size_t i = 0; i < 20; ++i) {
    const double value = 10 + per_batch * static_cast<double>(i) + residual(i);
    series.insert(series.end(), {value - 0.3, value + 0.3});
  }
  return series;
}

TEST(Growth, is_the_slope_of_the_last_two_thirds) {
  const Growth growth = growth_of(line(0.5, [](std::size_t) { return 0; }));
  EXPECT_NEAR(growth.per_cell, 0.25, 1e-12);
  EXPECT_NEAR(growth.share, 0.5 * 20 / (10 + 0.5 * 9.5), 1e-12);
  EXPECT_TRUE(growth.certain);
  EXPECT_FALSE(growth_of(line(-0.5, [](std::size_t) { return 0; })).certain);
}

// By the formulas of least squares, with the quantile of a table.
TEST(Growth, is_certain_above_the_99_percent_quantile_of_its_error) {
  constexpr double kT = 2.5523796;  // 18 degrees of freedom
  constexpr double kXX = 665;       // 20 * (20^2 - 1) / 12
  for (const bool slow : {false, true}) {
    const auto wave = [&](std::size_t i) {
      return slow ? std::sin(static_cast<double>(i) * 0.9) : alternating(i);
    };
    Values waves;
    for (std::size_t i = 0; i < 20; ++i) waves.push_back(wave(i));
    const double mean = std::accumulate(waves.begin(), waves.end(), 0.0) / 20;
    double own_slope = 0;
    for (std::size_t i = 0; i < 20; ++i) {
      own_slope += (static_cast<double>(i) - 9.5) * waves[i] / kXX;
    }
    double squares = 0;
    for (std::size_t i = 0; i < 20; ++i) {
      waves[i] -= mean + own_slope * (static_cast<double>(i) - 9.5);
      squares += waves[i] * waves[i];
    }
    const double r = std::max(0.0, neighbour_correlation(waves));
    EXPECT_EQ(r > 0.3, slow);
    const double error = std::sqrt(squares / 18 * (1 + r) / (1 - r) / kXX);
    const double found = turning_point(
        -1, 2, [&](double slope) { return !growth_of(line(slope - own_slope, wave)).certain; });
    EXPECT_NEAR(found, kT * error, 1e-5 * kT * error);
  }
}

TEST(Trend, has_come_back_what_falls_to_the_mean_of_its_middle_third) {
  Values series(120, 5);
  std::fill(series.begin() + 40, series.begin() + 80, 10);
  std::fill(series.begin() + 80, series.end(), 12);
  EXPECT_TRUE(never_came_back(series));
  series[89] = 1;  // only the last quarter counts
  EXPECT_TRUE(never_came_back(series));
  series[90] = 10;
  EXPECT_FALSE(never_came_back(series));
}

TEST(Trend, differ_two_halves_above_the_99_percent_quantile_of_their_difference) {
  const Values early{9, 11, 12, 8, 10};
  const Values late{7, 13, 10, 9, 11};
  const auto shifted = [&](double by) {
    Values series = early;
    for (const double value : late) series.push_back(value + by);
    return series;
  };
  constexpr double kT = 3.3553873;                          // two-sided, 8 degrees of freedom
  const double error = std::sqrt((10.0 + 20.0) / (5 * 4));  // squares about the two means
  const auto alike = [&](double by) { return !halves_differ(shifted(by)); };
  EXPECT_NEAR(turning_point(0, 100, alike), kT * error, 1e-5);
  EXPECT_NEAR(turning_point(0, 100, [&](double by) { return alike(-by); }), kT * error, 1e-5);
}

TEST(Trend, is_relative_spread_the_standard_deviation_of_a_sample_by_its_mean) {
  EXPECT_DOUBLE_EQ(relative_spread(Values{1, 2, 3}), 0.5);
  EXPECT_DOUBLE_EQ(relative_spread(Values{10, 10, 10, 14}), 2.0 / 11);
  EXPECT_EQ(relative_spread(Values{0, 0}), 0);
  EXPECT_EQ(relative_spread(Values{-1, -3}), 0);
}

/// Ten cells of 20 parts each: parts at mean +- between, cells at +- within around that.
Values arrivals(double mean, double between, double within) {
  Values cells;
  for (std::size_t i = 0; i < kRateCells; ++i) {
    cells.push_back(mean + between * alternating(i / 10) + within * alternating(i));
  }
  return cells;
}

TEST(Trend, changes_a_rate_whose_parts_scatter_three_times_as_much_as_their_cells_show) {
  // Variances: of the parts between^2 * 20 / 19, of the cells within^2 * 200 / 180.
  const double within = 5;
  const double found = turning_point(
      0, 100, [&](double between) { return !rate_changes(arrivals(20, between, within)); });
  EXPECT_NEAR(found, std::sqrt(3 * within * within * 200 / 180 / 10 * 19 / 20), 1e-5);
}

TEST(Trend, changes_no_rate_whose_parts_scatter_by_less_than_a_tenth) {
  const double found = turning_point(
      0, 100, [](double between) { return !rate_changes(arrivals(20, between, 1e-6)); });
  EXPECT_NEAR(found, 0.1 * 20 * std::sqrt(19.0 / 20), 1e-5);
}

}  // namespace
}  // namespace plimsoll
