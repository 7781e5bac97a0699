#include "stats/mser.h"

#include <gtest/gtest.h>

#include <vector>

#include "known_queue.h"

namespace plimsoll {
namespace {

std::vector<double> noise(std::size_t n) {
  test::Draws draws(1);
  std::vector<double> values(n);
  for (double& v : values) v = draws.uniform();
  return values;
}

TEST(Mser5, cuts_an_initial_ramp_where_it_ends) {
  std::vector<double> series = noise(5000);
  for (std::size_t i = 0; i < 1000; ++i) series[i] += 10 * (1 - static_cast<double>(i) / 1000);
  const WarmupCut cut = mser5(series);
  EXPECT_TRUE(cut.settled);
  EXPECT_GT(cut.observations, 900u);
  EXPECT_LT(cut.observations, 1100u);
}

TEST(Mser5, keeps_nearly_all_of_a_series_without_warmup) {
  const WarmupCut cut = mser5(noise(5000));
  EXPECT_TRUE(cut.settled);
  EXPECT_LT(cut.observations, 500u);
}

TEST(Mser5, is_not_settled_while_the_series_still_drifts) {
  std::vector<double> series = noise(5000);
  for (std::size_t i = 0; i < series.size(); ++i) series[i] += static_cast<double>(i) / 100;
  EXPECT_FALSE(mser5(series).settled);
}

TEST(Mser5, says_nothing_about_a_handful_of_values) {
  EXPECT_FALSE(mser5(noise(49)).settled);
  EXPECT_TRUE(mser5(std::vector<double>(50, 3.0)).settled);
}

}  // namespace
}  // namespace plimsoll
