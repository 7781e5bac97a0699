#include "stats/paired.h"

#include <gtest/gtest.h>

#include <vector>

namespace plimsoll {
namespace {

// Mean 10, squares of the distances 4 + 1 + 0 + 1 + 4 = 10, variance 2.5, standard error
// sqrt(2.5 / 5) = 0.70711; t(0.975, 4) = 2.77645: 10 +- 1.96325.
TEST(ReplicatedMean, by_hand) {
  const std::vector<double> values{8, 9, 10, 11, 12};
  const ReplicatedMean m = replicated_mean(values, 0.95);
  EXPECT_DOUBLE_EQ(m.mean, 10);
  ASSERT_TRUE(m.interval);
  EXPECT_NEAR(m.interval->low, 10 - 1.96325, 1e-4);
  EXPECT_NEAR(m.interval->high, 10 + 1.96325, 1e-4);
}

TEST(ReplicatedMean, has_no_interval_from_one_run) {
  const std::vector<double> one{7.5};
  EXPECT_EQ(replicated_mean(one, 0.95).mean, 7.5);
  EXPECT_FALSE(replicated_mean(one, 0.95).interval);
}

TEST(ReplicatedMean, of_equal_values_is_that_value_exactly) {
  const std::vector<double> values(3, 0.1);
  EXPECT_EQ(replicated_mean(values, 0.95).mean, 0.1);
  EXPECT_EQ(replicated_mean(values, 0.95).interval->low, 0.1);
  EXPECT_EQ(replicated_mean(values, 0.95).interval->high, 0.1);
}

// The differences are 1, 2, 3: mean 2, standard error sqrt(1 / 3) = 0.57735, t = 3.4641 with two
// degrees of freedom, t(0.975, 2) = 4.30265: 2 +- 2.48414; p = 1 - t / sqrt(2 + t^2) = 0.0741799.
TEST(PairedDifference, by_hand) {
  const std::vector<double> a{101, 202, 303};
  const std::vector<double> b{100, 200, 300};
  const PairedDifference d = paired_difference(a, b, 0.95);
  EXPECT_DOUBLE_EQ(d.mean, 2);
  ASSERT_TRUE(d.interval);
  EXPECT_NEAR(d.interval->low, -0.48414, 1e-4);
  EXPECT_NEAR(d.interval->high, 4.48414, 1e-4);
  EXPECT_NEAR(d.p_value, 0.0741799, 1e-6);
  EXPECT_FALSE(d.is_real());
  EXPECT_FALSE(d.equal);
}

// The runs differ by hundreds, the systems by one: unpaired intervals would drown it.
TEST(PairedDifference, sees_through_what_hits_both_alike) {
  const std::vector<double> a{101.0, 201.1, 300.9, 401.0, 501.0};
  const std::vector<double> b{100, 200, 300, 400, 500};
  EXPECT_TRUE(paired_difference(a, b, 0.95).is_real());
  EXPECT_TRUE(paired_difference(b, a, 0.95).is_real());
  EXPECT_LT(paired_difference(b, a, 0.95).interval->high, 0);
}

TEST(PairedDifference, of_a_system_with_itself_is_exactly_zero) {
  const std::vector<double> a{0.1, 0.2, 0.7};
  const PairedDifference d = paired_difference(a, a, 0.95);
  EXPECT_TRUE(d.equal);
  EXPECT_EQ(d.mean, 0);
  EXPECT_EQ(d.interval->low, 0);
  EXPECT_EQ(d.interval->high, 0);
  EXPECT_EQ(d.p_value, 1);
  EXPECT_FALSE(d.is_real());
}

TEST(PairedDifference, that_is_the_same_in_every_run_is_real) {
  const std::vector<double> a{3, 4};
  const std::vector<double> b{1, 2};
  EXPECT_TRUE(paired_difference(a, b, 0.95).is_real());
  EXPECT_EQ(paired_difference(a, b, 0.95).p_value, 0);
}

TEST(PairedDifference, of_one_pair_is_never_real) {
  const std::vector<double> a{3};
  const std::vector<double> b{1};
  EXPECT_EQ(paired_difference(a, b, 0.95).mean, 2);
  EXPECT_FALSE(paired_difference(a, b, 0.95).interval);
  EXPECT_FALSE(paired_difference(a, b, 0.95).is_real());
  EXPECT_EQ(paired_difference(a, b, 0.95).p_value, 1);
}

TEST(LevelOfEach, shares_out_what_may_go_wrong) {
  EXPECT_DOUBLE_EQ(level_of_each(0.95, 1), 0.95);
  EXPECT_DOUBLE_EQ(level_of_each(0.95, 5), 0.99);
  EXPECT_DOUBLE_EQ(level_of_each(0.95, 0), 0.95);
}

}  // namespace
}  // namespace plimsoll
