#include "planner/rate_grid.h"

#include <cmath>

#include <gtest/gtest.h>

namespace plimsoll {
namespace {

TEST(RateGrid, has_rates_that_people_type) {
  for (const double typed : {0.05, 0.1, 0.25, 1.0, 2.5, 12.0, 40.0, 46.2, 200.0, 1250.0, 1e6}) {
    EXPECT_EQ(on_rate_grid(typed, 0.01), typed);
  }
  EXPECT_EQ(on_rate_grid(39.87, 0.01), 39.8);
  EXPECT_EQ(on_rate_grid(0.3983, 0.01), 0.398);
}

TEST(RateGrid, has_neighbours_no_further_apart_than_the_precision) {
  for (const double precision : {0.001, 0.01, 0.02, 0.03, 0.05, 0.3}) {
    double rate = on_rate_grid(0.0123, precision);
    while (rate < 20'000) {
      const double above = next_rate_above(rate, precision);
      ASSERT_GT(above, rate);
      ASSERT_LE(above, rate * (1 + precision) * (1 + 1e-6));
      const double below = next_rate_below(above, precision);
      ASSERT_LE(below, rate);  // further where steps become larger
      ASSERT_LE(above, below * (1 + 2 * precision)) << above;
      // Where steps become larger, one rate of the finer ones may be left.
      ASSERT_LE(std::fabs(on_rate_grid(above, precision) - above), precision * above / 2);
      rate = above;
    }
  }
}

TEST(RateGrid, lies_on_both_sides_of_a_rate_between_two_of_it) {
  EXPECT_EQ(next_rate_above(39.87, 0.01), 40);
  EXPECT_EQ(next_rate_below(39.87, 0.01), 39.8);
}

}  // namespace
}  // namespace plimsoll
