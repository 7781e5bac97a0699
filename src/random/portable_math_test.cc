#include "random/portable_math.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "random/stream.h"

namespace plimsoll {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kTolerance = 2e-15;  // relative

double uniform_at(std::uint64_t i, double low, double high) {
  return low + (high - low) * RandomStream(7, Purpose::arrival, i).uniform();
}

TEST(PortableLog, agrees_with_the_c_library) {
  for (std::uint64_t i = 0; i < 100'000; ++i) {
    for (const double x : {std::exp(uniform_at(i, -744, 709)), uniform_at(i, 0.9, 1.1)}) {
      ASSERT_NEAR(portable_log(x), std::log(x), kTolerance * std::abs(std::log(x))) << x;
    }
  }
}

TEST(PortableLog, is_right_at_the_edges) {
  EXPECT_EQ(portable_log(1), 0);
  EXPECT_EQ(portable_log(0), -kInfinity);
  EXPECT_EQ(portable_log(kInfinity), kInfinity);
  EXPECT_TRUE(std::isnan(portable_log(-1)));
  EXPECT_TRUE(std::isnan(portable_log(std::nan(""))));
  const double smallest = std::numeric_limits<double>::denorm_min();
  EXPECT_NEAR(portable_log(smallest), std::log(smallest), 1e-12);
}

TEST(PortableExp, agrees_with_the_c_library) {
  for (std::uint64_t i = 0; i < 100'000; ++i) {
    for (const double x : {uniform_at(i, -708, 709), uniform_at(i, -1, 1)}) {
      ASSERT_NEAR(portable_exp(x), std::exp(x), kTolerance * std::exp(x)) << x;
    }
  }
}

TEST(PortableExp, is_right_at_the_edges) {
  EXPECT_EQ(portable_exp(0), 1);
  EXPECT_EQ(portable_exp(710), kInfinity);
  EXPECT_EQ(portable_exp(kInfinity), kInfinity);
  EXPECT_EQ(portable_exp(-746), 0);
  EXPECT_EQ(portable_exp(-kInfinity), 0);
  EXPECT_NEAR(portable_exp(709.78) / std::exp(709.78), 1, kTolerance);
  EXPECT_NEAR(portable_exp(-740), std::exp(-740), std::numeric_limits<double>::denorm_min());
  EXPECT_TRUE(std::isnan(portable_exp(std::nan(""))));
}

TEST(PortablePow, gives_powers) {
  EXPECT_NEAR(portable_pow(2, 10), 1024, 1e-11);
  EXPECT_NEAR(portable_pow(0.25, 0.5), 0.5, 1e-15);
}

TEST(PortableLogGamma, agrees_with_the_c_library) {
  for (std::uint64_t i = 0; i < 100'000; ++i) {
    const double x = uniform_at(i, 0.001, 60);
    ASSERT_NEAR(portable_log_gamma(x), std::lgamma(x), 1e-14 * std::max(1.0, std::lgamma(x))) << x;
  }
}

// The point of the whole file: these bits may not depend on CPU, compiler or optimisation level.
TEST(PortableMath, are_the_results_the_same_to_the_last_digit_as_ever) {
  EXPECT_EQ(portable_log(0.1), -2.3025850929940455);
  EXPECT_EQ(portable_log(12345.678), 9.4210613212918322);
  EXPECT_EQ(portable_exp(0.1), 1.1051709180756477);
  EXPECT_EQ(portable_exp(-12.345), 4.3514562446553247e-06);
  EXPECT_EQ(portable_log_gamma(1.7), -0.095807697407067849);
}

}  // namespace
}  // namespace plimsoll
