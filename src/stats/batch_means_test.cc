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

}  // namespace
}  // namespace plimsoll
