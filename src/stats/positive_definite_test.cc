#include "stats/positive_definite.h"

#include <gtest/gtest.h>

namespace plimsoll {
namespace {

TEST(PositiveDefinite, inverts_what_it_multiplies) {
  const SquareMatrix matrix{{4, 2, 0.6}, {2, 5, 1}, {0.6, 1, 3}};
  const auto inverted = inverse(matrix);
  ASSERT_TRUE(inverted);
  const std::vector<double> x{1, -2, 3};
  const std::vector<double> back = product(*inverted, product(matrix, x));
  for (std::size_t i = 0; i < x.size(); ++i) EXPECT_NEAR(back[i], x[i], 1e-12);
}

TEST(PositiveDefinite, refuses_what_has_no_inverse) {
  EXPECT_FALSE(inverse({{1, 1}, {1, 1}}));
  EXPECT_FALSE(inverse({{1, 2}, {2, 1}}));
  EXPECT_FALSE(inverse({{0}}));
}

}  // namespace
}  // namespace plimsoll
