#include "stats/mser.h"

#include <gtest/gtest.h>

#include <limits>
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

// White 1997, by its definition: the cut of means of five in the first half whose rest has the
// least standard error; of equal ones the least cut.
std::size_t cut_by_definition(const std::vector<double>& series) {
  std::vector<double> means;
  for (std::size_t i = 0; i + 5 <= series.size(); i += 5) {
    means.push_back((series[i] + series[i + 1] + series[i + 2] + series[i + 3] + series[i + 4]) /
                    5);
  }
  double least = std::numeric_limits<double>::infinity();
  std::size_t best = 0;
  for (std::size_t cut = 0; cut <= means.size() / 2; ++cut) {
    const auto n = static_cast<double>(means.size() - cut);
    double mean = 0;
    for (std::size_t i = cut; i < means.size(); ++i) mean += means[i] / n;
    double error = 0;
    for (std::size_t i = cut; i < means.size(); ++i) {
      error += (means[i] - mean) * (means[i] - mean) / (n * n);
    }
    if (error < least) best = cut;
    least = std::min(least, error);
  }
  return best * 5;
}

TEST(Mser5, cuts_where_its_definition_does) {
  for (std::size_t size = 50; size < 250; ++size) {
    std::vector<double> series = noise(size);
    const double ramp = static_cast<double>(size % 13) * 4;
    for (std::size_t i = 0; i < size && static_cast<double>(i) < ramp; ++i) {
      series[i] += 3 * (1 - static_cast<double>(i) / ramp);
    }
    EXPECT_EQ(mser5(series).observations, cut_by_definition(series)) << size;
  }
}

// The last cut of 100 means is at 50.
TEST(Mser5, is_not_settled_in_the_last_twentieth_of_its_cuts) {
  const auto settled = [](std::size_t ramp) {
    std::vector<double> series(500, 1);
    for (std::size_t i = 0; i < 5 * ramp; ++i) series[i] = 100;
    const WarmupCut cut = mser5(series);
    EXPECT_EQ(cut.observations, 5 * ramp);
    return cut.settled;
  };
  EXPECT_TRUE(settled(47));
  EXPECT_FALSE(settled(48));
}

}  // namespace
}  // namespace plimsoll
