#include "stats/percentile.h"

#include <gtest/gtest.h>

#include <cstdint>

namespace plimsoll {
namespace {

TEST(Percentiles, interpolate_between_the_closest_ranks) {
  Percentiles<double> of({40, 10, 30, 20});
  EXPECT_DOUBLE_EQ(of.at(0), 10);
  EXPECT_DOUBLE_EQ(of.at(50), 25);
  EXPECT_DOUBLE_EQ(of.at(90), 37);
  EXPECT_DOUBLE_EQ(of.at(100), 40);
}

TEST(Percentiles, of_one_value_are_that_value_and_of_none_are_zero) {
  EXPECT_EQ(Percentiles<std::int64_t>({7}).at(99), 7);
  EXPECT_EQ(Percentiles<std::int64_t>({}).at(99), 0);
}

TEST(Percentiles, may_be_asked_for_again_and_among_equal_values) {
  Percentiles<double> of({5, 3, 3, 9, 1, 7});
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(of.at(90), 8);
    EXPECT_EQ(of.at(50), 4);
    EXPECT_EQ(of.at(20), 3);
    EXPECT_EQ(of.at(0), 1);
    EXPECT_EQ(of.at(100), 9);
  }
}

TEST(Percentiles, do_not_depend_on_which_were_asked_for_before) {
  std::vector<std::int64_t> values;  // 0 .. 999
  for (std::int64_t i = 0; i < 1000; ++i) values.push_back(i * 7919 % 1000);
  Percentiles<std::int64_t> of(values);
  for (int i = 0; i < 500; ++i) {
    const double p = i * 383 % 1000 / 10.0;
    ASSERT_DOUBLE_EQ(of.at(p), p / 100 * 999) << p;
  }
}

}  // namespace
}  // namespace plimsoll
