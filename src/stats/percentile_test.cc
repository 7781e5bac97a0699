#include "stats/percentile.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <functional>

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

// The values of long columns are counted by stretches first: evenly, all in one, or not at all.
TEST(Percentiles, of_long_columns_are_those_of_the_sorted_ones) {
  constexpr std::size_t kValues = 20'001;
  const std::vector<std::function<double(std::size_t)>> shapes{
      [](std::size_t i) { return static_cast<double>(i * 7919 % kValues); },
      [](std::size_t i) { return static_cast<double>(i * 7919 % kValues % 10); },
      [](std::size_t i) { return i == 77 ? 1.7e308 : static_cast<double>(i * 7919 % kValues); },
      [](std::size_t) { return 4.5; }};
  for (const auto& shape : shapes) {
    std::vector<double> values;
    for (std::size_t i = 0; i < kValues; ++i) values.push_back(shape(i));
    std::vector<double> sorted = values;
    std::sort(sorted.begin(), sorted.end());
    Percentiles<double> of(values);
    of.prepare(std::vector<double>{50, 99, 99.999});
    for (const std::size_t percent : {99u, 50u, 0u, 100u, 1u, 98u, 51u}) {
      ASSERT_EQ(of.at(static_cast<double>(percent)), sorted[percent * (kValues - 1) / 100]);
    }
  }
}

}  // namespace
}  // namespace plimsoll
