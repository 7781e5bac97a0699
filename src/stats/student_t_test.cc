#include "stats/student_t.h"

#include <gtest/gtest.h>

namespace plimsoll {
namespace {

TEST(StudentT, quantiles_equal_the_printed_tables) {
  EXPECT_NEAR(student_t_quantile(0.95, 1), 6.313751515, 1e-8);
  EXPECT_NEAR(student_t_quantile(0.975, 2), 4.302652730, 1e-8);
  EXPECT_NEAR(student_t_quantile(0.95, 9), 1.833112933, 1e-8);
  EXPECT_NEAR(student_t_quantile(0.99, 18), 2.552379630, 1e-8);
  EXPECT_NEAR(student_t_quantile(0.95, 19), 1.729132812, 1e-8);
  EXPECT_NEAR(student_t_quantile(0.95, 39), 1.684875122, 1e-8);
}

TEST(StudentT, nears_the_normal_distribution) {
  EXPECT_NEAR(student_t_quantile(0.95, 100'001), 1.6448536, 2e-5);
}

TEST(StudentT, cdf_is_symmetric) {
  for (const int n : {1, 2, 5, 30}) {
    EXPECT_DOUBLE_EQ(student_t_cdf(0, n), 0.5);
    EXPECT_NEAR(student_t_cdf(1.3, n) + student_t_cdf(-1.3, n), 1, 1e-15);
  }
}

}  // namespace
}  // namespace plimsoll
