#include "stats/percentile.h"

#include <gtest/gtest.h>

#include <cstdint>

namespace plimsoll {
namespace {

TEST(Percentile, interpolates_between_the_closest_ranks) {
  std::vector<double> v = {40, 10, 30, 20};
  EXPECT_DOUBLE_EQ(percentile(v, 0), 10);
  EXPECT_DOUBLE_EQ(percentile(v, 50), 25);
  EXPECT_DOUBLE_EQ(percentile(v, 90), 37);
  EXPECT_DOUBLE_EQ(percentile(v, 100), 40);
}

TEST(Percentile, of_one_value_is_that_value_and_of_none_is_zero) {
  std::vector<std::int64_t> one = {7};
  std::vector<std::int64_t> none;
  EXPECT_EQ(percentile(one, 99), 7);
  EXPECT_EQ(percentile(none, 99), 0);
}

TEST(Percentiles, taken_together_equal_those_taken_alone) {
  std::vector<double> v = {5, 3, 3, 9, 1, 7};
  const auto together = percentiles<double, 5>(v, {0, 50, 50, 90, 100});
  EXPECT_EQ(together, (std::array<double, 5>{1, 4, 4, 8, 9}));
}

TEST(Percentile, does_not_depend_on_the_order_left_by_an_earlier_one) {
  std::vector<std::int64_t> v;
  for (std::int64_t i = 0; i < 1000; ++i) v.push_back(i * 7919 % 1000);
  EXPECT_DOUBLE_EQ(percentile(v, 99), 989.01);
  EXPECT_DOUBLE_EQ(percentile(v, 50), 499.5);
  EXPECT_DOUBLE_EQ(percentile(v, 99), 989.01);
}

}  // namespace
}  // namespace plimsoll
