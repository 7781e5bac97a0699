#include "validation/predictions.h"

#include <cmath>

#include <gtest/gtest.h>

namespace plimsoll {
namespace {

// Steps 10 % shorter or longer, first tokens 30 %.
Predictions predicted(const std::string& prefix) {
  Predictions p;
  p.error = {Regime::measured, std::log(1.1), std::log(1.3), std::log(1.3)};
  const auto with_steps = [&](double factor) {
    return CaseFigures{{prefix + "ttft_ms.mean", 100 * factor},
                       {prefix + "tpot_ms.mean", 10 * factor},
                       {prefix + "e2e_ms.mean", 1000 * factor},
                       {prefix + "requests_per_s", 4 / factor}};
  };
  p.central = with_steps(1);
  p.fast = with_steps(1 / 1.1);
  p.slow = with_steps(1.1);
  return p;
}

TEST(Predictions, of_steps_reach_as_far_as_their_simulations) {
  const ScoredFigure tpot = compare("tpot_ms.mean", 10, predicted(""));
  EXPECT_DOUBLE_EQ(tpot.predicted, 10);
  EXPECT_NEAR(tpot.low, 10 / 1.1, 1e-9);
  EXPECT_NEAR(tpot.high, 11, 1e-9);
}

TEST(Predictions, of_first_tokens_reach_as_far_as_their_own_error) {
  const ScoredFigure ttft = compare("ttft_ms.mean", 100, predicted(""));
  EXPECT_GT(ttft.high, 130);  // independent of steps, which the simulation has
  EXPECT_LT(ttft.high, 100 * 1.1 * 1.3);
  EXPECT_LT(ttft.low, 100 / 1.3);
}

// Of a request that lasts 1,000 ms the first token is a tenth.
TEST(Predictions, of_whole_requests_have_the_error_of_their_first_tokens) {
  const Predictions p = predicted("points[0].");
  const ScoredFigure ttft = compare("points[0].ttft_ms.mean", 100, p);
  const ScoredFigure e2e = compare("points[0].e2e_ms.mean", 1000, p);
  EXPECT_NEAR(e2e.high, 1100 + (ttft.high - 110), 1e-9);
  EXPECT_NEAR(e2e.low, 1000 / 1.1 - (100 / 1.1 - ttft.low), 1e-9);
}

TEST(Predictions, of_rates_in_a_closed_loop_follow_its_requests) {
  const Predictions p = predicted("points[0].");
  const ScoredFigure e2e = compare("points[0].e2e_ms.mean", 1000, p);
  const ScoredFigure rate = compare("points[0].requests_per_s", 4, p);
  EXPECT_NEAR(rate.high, 4 * 1000 / e2e.low, 1e-9);
  EXPECT_NEAR(rate.low, 4 * 1000 / e2e.high, 1e-9);
}

// Of engines that are full.
TEST(Predictions, of_rates_in_an_open_loop_are_wider_than_steps) {
  const ScoredFigure rate = compare("requests_per_s", 4, predicted(""));
  EXPECT_GT(rate.high, 4 * 1.1);
  EXPECT_LT(rate.high, 4 * 1.2);
}

TEST(Predictions, reach_no_further_to_the_side_that_no_doubt_is_on) {
  Predictions p = predicted("");
  const ScoredFigure before = compare("ttft_ms.mean", 100, p);
  p.doubts.later = 1;
  const ScoredFigure after = compare("ttft_ms.mean", 100, p);
  EXPECT_EQ(after.low, before.low);
  EXPECT_GT(after.high, 2 * before.high);
}

TEST(Predictions, have_no_interval_where_none_was_simulated) {
  Predictions p = predicted("");
  p.fast.clear();
  p.slow.clear();
  EXPECT_TRUE(std::isnan(compare("tpot_ms.mean", 10, p).low));
}

}  // namespace
}  // namespace plimsoll
