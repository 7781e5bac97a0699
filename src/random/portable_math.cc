#include "random/portable_math.h"

#include <bit>
#include <cstdint>
#include <limits>

namespace plimsoll {
namespace {

// ln 2 in two parts; the first has 32 significant bits, so that its product with an exponent is
// exact.
constexpr double kLn2High = 0x1.62e42feep-1;
constexpr double kLn2Low = 0x1.a39ef35793c76p-33;
constexpr double kSqrt2 = 0x1.6a09e667f3bcdp+0;
constexpr double kHalfLogTwoPi = 0.91893853320467274178;  // ln(2 pi) / 2
constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

constexpr int kMantissaBits = 52;
constexpr int kExponentBias = 1023;

// 2 to the n for n in [-1022, 1023].
double power_of_two(int n) {
  return std::bit_cast<double>(static_cast<std::uint64_t>(n + kExponentBias) << kMantissaBits);
}

}  // namespace

double portable_log(double x) {
  if (!(x > 0)) return x == 0 ? -kInfinity : kNan;
  if (x == kInfinity) return x;

  // x = 2^exponent * m with m in [1/sqrt 2, sqrt 2).
  int exponent = 0;
  if (x < std::numeric_limits<double>::min()) {  // subnormal
    x *= 0x1p54;
    exponent = -54;
  }
  const auto bits = std::bit_cast<std::uint64_t>(x);
  exponent += static_cast<int>(bits >> kMantissaBits) - kExponentBias;
  constexpr std::uint64_t kMantissa = (std::uint64_t{1} << kMantissaBits) - 1;
  constexpr std::uint64_t kOne = std::uint64_t{kExponentBias} << kMantissaBits;
  double m = std::bit_cast<double>((bits & kMantissa) | kOne);
  if (m >= kSqrt2) {
    m *= 0.5;
    exponent += 1;
  }

  // ln m = 2 artanh(s), s = f / (2 + f), |s| < 0.172: eleven terms of the series reach 2^-56. The
  // leading 2 s is written as f - s f to keep its rounding error small.
  const double f = m - 1;
  const double s = f / (2 + f);
  const double z = s * s;
  constexpr double kOddInverses[] = {1.0 / 23, 1.0 / 21, 1.0 / 19, 1.0 / 17, 1.0 / 15, 1.0 / 13,
                                     1.0 / 11, 1.0 / 9,  1.0 / 7,  1.0 / 5,  1.0 / 3};
  double series = 0;
  for (const double inverse : kOddInverses) series = series * z + inverse;
  const double tail = s * (2 * z * series - f);  // ln m = f + tail
  const auto k = static_cast<double>(exponent);
  return k * kLn2High + (f + (tail + k * kLn2Low));
}

double portable_exp(double x) {
  if (x != x) return x;
  if (x > 709.8) return kInfinity;
  if (x < -745.2) return 0;

  // x = k ln 2 + r with |r| <= ln 2 / 2.
  constexpr double kInverseLn2 = 0x1.71547652b82fep+0;
  const int k = static_cast<int>(x * kInverseLn2 + (x < 0 ? -0.5 : 0.5));
  const double r = (x - k * kLn2High) - k * kLn2Low;

  // Taylor series to r^13 / 13!, which reaches 2^-57.
  constexpr double kInverseFactorials[] = {
      1.0 / 6227020800, 1.0 / 479001600, 1.0 / 39916800, 1.0 / 3628800, 1.0 / 362880, 1.0 / 40320,
      1.0 / 5040,       1.0 / 720,       1.0 / 120,      1.0 / 24,      1.0 / 6,      1.0 / 2};
  double series = 0;
  for (const double inverse : kInverseFactorials) series = series * r + inverse;
  const double value = 1 + (r + r * r * series);

  // Two factors, because 2^k itself may leave the range of normal numbers.
  const int half = k / 2;
  return value * power_of_two(half) * power_of_two(k - half);
}

double portable_pow(double x, double y) { return portable_exp(y * portable_log(x)); }

double portable_log_gamma(double x) {
  // ln G(x) = ln G(x + n) - ln(x (x+1) ... (x+n-1)), then Stirling's series, of which eight terms
  // suffice from 10 on (Abramowitz and Stegun 6.1.41).
  double product = 1;
  while (x < 10) {
    product *= x;
    x += 1;
  }
  const double z = 1 / (x * x);
  const double series =
      (1.0 / 12 +
       z * (-1.0 / 360 +
            z * (1.0 / 1260 +
                 z * (-1.0 / 1680 +
                      z * (1.0 / 1188 +
                           z * (-691.0 / 360360 + z * (1.0 / 156 + z * (-3617.0 / 122400)))))))) /
      x;
  return (x - 0.5) * portable_log(x) - x + kHalfLogTwoPi + series - portable_log(product);
}

}  // namespace plimsoll
