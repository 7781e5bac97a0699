#include "metrics/intervals.h"

#include <cmath>

#include <gtest/gtest.h>

namespace plimsoll {
namespace {

Summary steady(std::vector<MetricInterval> intervals) {
  Summary s;
  s.steady_state.verdict = SteadyVerdict::steady;
  s.intervals = std::move(intervals);
  return s;
}

const ModelError kError{Regime::measured, 0.05, 0.13, 0.30};

// E2E of 100 +- 3 (sampling) and 96 to 104 at the ends of the band: 100 +- hypot(3, 4).
TEST(ModelBand, do_both_errors_add_up_as_squares) {
  const ModelBand band =
      model_band(kError, steady({{"e2e_mean_ms", 97, 103}}), steady({{"e2e_mean_ms", 95, 97}}),
                 steady({{"e2e_mean_ms", 102, 106}}));
  EXPECT_DOUBLE_EQ(band.model[0].low, 96);
  EXPECT_DOUBLE_EQ(band.model[0].high, 104);
  EXPECT_NEAR(band.combined[0].low, 95, 0.05);
  EXPECT_NEAR(band.combined[0].high, 105, 0.05);
}

// As differences they would reach to 600 - hypot(400, 500), which is below 0.
TEST(ModelBand, has_a_latency_no_end_below_the_product_of_both_errors) {
  const ModelBand band =
      model_band(kError, steady({{"e2e_mean_ms", 200, 1000}}), steady({{"e2e_mean_ms", 100, 100}}),
                 steady({{"e2e_mean_ms", 900, 900}}));
  EXPECT_GT(band.combined[0].low, 200.0 / 600 * 100);
  EXPECT_LT(band.combined[0].low, 100);
  EXPECT_GT(band.combined[0].high, 1000);
}

TEST(ModelBand, is_nothing_where_there_is_nothing) {
  const Summary none = steady({{"goodput_rps", 0, 0}});
  const ModelBand band = model_band(kError, none, none, none);
  EXPECT_EQ(band.combined[0].low, 0);
  EXPECT_EQ(band.combined[0].high, 0);
}

// sqrt(0.13^2 - 0.05^2) = 0.12 beside the steps.
TEST(ModelBand, is_a_first_token_less_certain_than_its_steps) {
  const Summary same = steady({{"ttft_mean_ms", 100, 100}});
  const ModelBand band = model_band(kError, same, same, same);
  EXPECT_NEAR(band.model[0].low, 100 * std::exp(-0.12), 1e-9);
  EXPECT_NEAR(band.model[0].high, 100 * std::exp(0.12), 1e-9);
}

TEST(ModelBand, has_a_latency_no_upper_end_where_slow_steps_do_not_hold_the_load) {
  const Summary central = steady({{"e2e_mean_ms", 97, 103}, {"tokens_per_sec", 9, 11}});
  Summary slow;
  slow.steady_state.verdict = SteadyVerdict::overloaded;
  const ModelBand band = model_band(kError, central, central, slow);
  EXPECT_EQ(band.slow, SteadyVerdict::overloaded);
  EXPECT_TRUE(std::isinf(band.combined[0].high));
  EXPECT_DOUBLE_EQ(band.combined[0].low, 97);
  EXPECT_DOUBLE_EQ(band.combined[1].high, 11);
}

TEST(ModelBand, is_no_end_below_nothing) {
  const ModelBand band =
      model_band(kError, steady({{"ttft_mean_ms", 0, 40}}), steady({{"ttft_mean_ms", 0, 2}}),
                 steady({{"ttft_mean_ms", 20, 40}}));
  EXPECT_DOUBLE_EQ(band.combined[0].low, 0);
}

}  // namespace
}  // namespace plimsoll
