// Do the buckets of an engine tell how widely the lengths of its requests vary?
#include "forecast/history/recorded_counters.h"

#include <cmath>
#include <numbers>

#include <gtest/gtest.h>

namespace plimsoll {
namespace {

// Those of vLLM: 1, 2, 5, 10, ...
std::vector<double> bucket_bounds() {
  std::vector<double> bounds;
  for (double decade = 1; decade < 1e6; decade *= 10)
    for (const double step : {1, 2, 5}) bounds.push_back(step * decade);
  bounds.push_back(INFINITY);
  return bounds;
}

// `share_below`: of a length, the share of shorter ones. Counters begin anywhere and restart once.
template <class ShareBelow>
std::vector<CounterSeries> counted_lengths(const KnownCounter& counter, ShareBelow share_below) {
  std::vector<CounterSeries> all;
  for (const double bound : bucket_bounds()) {
    const double count = 10'000 * share_below(bound);
    CounterSeries& series = all.emplace_back();
    series.column = counter.column;
    series.upper_bound = bound;
    series.samples = {{0, 500'000}, {60, 500'000 + count / 2}, {120, count / 2}};
  }
  return all;
}

double normal_below(double deviations) {
  return 0.5 * (1 + std::erf(deviations / std::numbers::sqrt2));
}

TEST(LengthBuckets, tell_the_coefficient_of_variation_within_an_eighth) {
  for (const double mean : {300, 900, 2100}) {
    for (const double cv : {0.55, 1.0, 2.0}) {
      const double sigma = std::sqrt(std::log(1 + cv * cv));
      const double mu = std::log(mean) - sigma * sigma / 2;
      auto series = counted_lengths(kPromptBuckets, [&](double bound) {
        return std::isinf(bound) ? 1 : normal_below((std::log(bound) - mu) / sigma);
      });
      const TrafficShape shape = take_length_buckets(&series);
      ASSERT_TRUE(shape.prompt_cv);
      EXPECT_NEAR(*shape.prompt_cv / cv, 1, 0.12) << mean << " " << cv;
      EXPECT_FALSE(shape.output_cv);
      EXPECT_TRUE(series.empty());
    }
  }
}

// Engines with a shorter limit of length have fewer buckets.
TEST(LengthBuckets, of_instances_with_other_bounds_add_up) {
  const auto below = [](double bound) {
    return std::isinf(bound) ? 1 : normal_below((std::log(bound) - 7) / 0.7);
  };
  const auto one = counted_lengths(kPromptBuckets, below);
  auto alone = one;
  const double cv = *take_length_buckets(&alone).prompt_cv;
  auto both = one;
  for (CounterSeries series : one) {
    series.instance = "short";
    if (series.upper_bound <= 10'000 || std::isinf(series.upper_bound)) both.push_back(series);
  }
  EXPECT_NEAR(*take_length_buckets(&both).prompt_cv / cv, 1, 0.05);
}

TEST(LengthBuckets, of_routes_that_lie_apart_tell_how_much_each_varies) {
  auto both =
      counted_lengths(kPromptBuckets, [](double bound) { return bound >= 200 ? 1.0 : 0.0; });
  for (CounterSeries series :
       counted_lengths(kPromptBuckets, [](double bound) { return bound >= 5000 ? 1.0 : 0.0; })) {
    series.route = "long";
    both.push_back(series);
  }
  EXPECT_EQ(take_length_buckets(&both).prompt_cv, 0);
}

TEST(LengthBuckets, of_lengths_that_are_all_alike_show_no_spread) {
  auto series =
      counted_lengths(kOutputBuckets, [](double bound) { return bound >= 200 ? 1.0 : 0.0; });
  EXPECT_EQ(take_length_buckets(&series).output_cv, 0);
}

TEST(LengthBuckets, with_few_requests_tell_nothing_and_leave_other_series_alone) {
  auto series =
      counted_lengths(kPromptBuckets, [](double bound) { return bound >= 200 ? 0.005 : 0.0; });
  series.emplace_back().column = "requests";
  EXPECT_FALSE(take_length_buckets(&series).prompt_cv);
  EXPECT_EQ(series.size(), 1U);
}

}  // namespace
}  // namespace plimsoll
