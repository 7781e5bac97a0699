#include "stats/batch_means.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <vector>

#include "known_queue.h"
#include "slow_sanitized.h"

namespace plimsoll {
namespace {

using test::Service;

constexpr double kLevel = 0.90;
constexpr int kRuns = 500;

struct Coverage {
  int given = 0;  // runs long enough for an interval
  int hits = 0;   // of those, intervals that hold the true value

  double share() const { return static_cast<double>(hits) / given; }
};

Coverage coverage(double truth, const std::function<std::optional<Interval>(std::uint64_t)>& run) {
  Coverage c;
  for (std::uint64_t seed = 0; seed < kRuns; ++seed) {
    const auto interval = run(seed);
    if (!interval) continue;
    c.given += 1;
    c.hits += interval->low <= truth && truth <= interval->high;
  }
  return c;
}

std::optional<Interval> percentile_interval_of(const std::vector<double>& series, double p) {
  Percentiles<double> of_series(series);
  return percentile_interval(series, of_series, p, kLevel);
}

// 500 runs estimate a coverage of 0.90 with a standard error of 0.013.
void expect_honest(const Coverage& c) {
  EXPECT_GT(c.given, kRuns * 9 / 10);
  EXPECT_GE(c.share(), 0.86);
  EXPECT_LE(c.share(), 0.94);
}

TEST(MeanInterval, covers_the_mean_residence_of_an_mm1_queue) {
  SLOW_SANITIZED();
  constexpr double kRho = 0.8;
  expect_honest(coverage(1 / (1 - kRho), [](std::uint64_t seed) {
    return mean_interval(test::residences(Service::exponential, kRho, 20'000, seed), kLevel);
  }));
}

TEST(MeanInterval, covers_the_mean_residence_of_an_md1_queue) {
  SLOW_SANITIZED();
  constexpr double kRho = 0.8;
  expect_honest(coverage(1 + kRho / (2 * (1 - kRho)), [](std::uint64_t seed) {
    return mean_interval(test::residences(Service::constant, kRho, 20'000, seed), kLevel);
  }));
}

TEST(PercentileInterval, covers_the_percentiles_of_an_mm1_queue) {
  SLOW_SANITIZED();
  constexpr double kRho = 0.5;
  for (const double p : {50.0, 90.0, 99.0}) {
    SCOPED_TRACE(p);
    const double truth = -std::log(1 - p / 100) / (1 - kRho);
    expect_honest(coverage(truth, [p](std::uint64_t seed) {
      return percentile_interval_of(test::residences(Service::exponential, kRho, 20'000, seed), p);
    }));
  }
}

TEST(RatioInterval, covers_the_ratio_of_two_dependent_series) {
  // Denominators are uniform with mean 0.5; numerators three times as large plus noise of mean 1.
  expect_honest(coverage(5.0, [](std::uint64_t seed) {
    test::Draws draws(seed);
    std::vector<double> numerators, denominators;
    for (int i = 0; i < 1000; ++i) {
      denominators.push_back(draws.uniform());
      numerators.push_back(3 * denominators.back() + draws.exponential());
    }
    return ratio_interval(numerators, denominators, kLevel);
  }));
}

TEST(PercentileInterval, is_left_out_when_batches_hold_too_few_observations) {
  const auto series = test::residences(Service::exponential, 0.5, 19'000, 1);
  EXPECT_FALSE(percentile_interval_of(series, 99));
  EXPECT_TRUE(percentile_interval_of(series, 95));
}

TEST(MeanInterval, is_left_out_for_a_series_that_only_drifts) {
  std::vector<double> series;
  for (int i = 0; i < 10'000; ++i) series.push_back(i);
  EXPECT_FALSE(mean_interval(series, kLevel));
  EXPECT_FALSE(mean_interval(std::span<const double>(series).first(39), kLevel));
}

TEST(MeanInterval, of_a_constant_has_no_width) {
  const auto interval = mean_interval(std::vector<double>(100, 2.5), kLevel);
  ASSERT_TRUE(interval);
  EXPECT_EQ(interval->low, 2.5);
  EXPECT_EQ(interval->high, 2.5);
}

TEST(NeighbourCorrelation, is_zero_for_noise_and_high_for_a_slope) {
  test::Draws draws(3);
  std::vector<double> noise, slope;
  for (int i = 0; i < 10'000; ++i) {
    noise.push_back(draws.uniform());
    slope.push_back(i);
  }
  EXPECT_NEAR(neighbour_correlation(noise), 0, 0.03);
  EXPECT_GT(neighbour_correlation(slope), 0.99);
  EXPECT_FALSE(clearly_correlated(noise));
  EXPECT_TRUE(clearly_correlated(slope));
}

// The 99 % quantile of the normal distribution, with von Neumann's variance (n - 2) / (n^2 - 1).
TEST(NeighbourCorrelation, is_clear_above_its_99_percent_quantile_under_independence) {
  for (const int n : {8, 20, 50}) {
    const double limit = 2.3263478740408408 * std::sqrt((n - 2.0) / (1.0 * n * n - 1));
    double last_below = -1;
    double first_above = 1;
    for (int step = 0; step <= 20'000; ++step) {
      std::vector<double> values;
      for (int i = 0; i < n; ++i) values.push_back(step / 2e4 * i + (i * 7 % 5 > 2 ? n / 4.0 : 0));
      const double r = neighbour_correlation(values);
      EXPECT_EQ(clearly_correlated(values), r > limit) << n << ' ' << step;
      (r > limit ? first_above : last_below) =
          r > limit ? std::fmin(first_above, r) : std::fmax(last_below, r);
    }
    EXPECT_LT(first_above - last_below, 1e-3) << n;  // so the limit itself was tried
  }
}

TEST(MeanInterval, wants_two_observations_in_each_of_its_twenty_batches) {
  std::vector<double> series;
  for (int i = 0; i < 40; ++i) series.push_back(i * 7 % 11);
  EXPECT_TRUE(mean_interval(series, kLevel));
  EXPECT_FALSE(mean_interval(std::span<const double>(series).first(39), kLevel));
}

TEST(PercentileInterval, is_left_out_where_it_would_reach_beyond_all_values) {
  // A fifth of all batches has all the large values, or all the small ones.
  std::vector<double> high;
  std::vector<double> low;
  for (int i = 0; i < 40'000; ++i) {
    const bool is_rare = i / 2000 % 5 == 0 && i % 20 == 0;
    high.push_back(is_rare ? 1000 + i : i % 97);
    low.push_back(is_rare ? -1000 - i : i % 97);
  }
  EXPECT_FALSE(percentile_interval_of(high, 99.5));
  EXPECT_FALSE(percentile_interval_of(low, 0.5));
  EXPECT_TRUE(percentile_interval_of(high, 90));
}

}  // namespace
}  // namespace plimsoll
