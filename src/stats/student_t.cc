#include "stats/student_t.h"

#include <cmath>

namespace plimsoll {
namespace {

constexpr double kPi = 3.14159265358979323846;

// Three halvings of the angle, then Taylor's series: sums, products and roots only, because the
// last bits of the C library's atan differ between machines.
double portable_atan(double x) {
  constexpr int kHalvings = 3;
  for (int i = 0; i < kHalvings; ++i) x = x / (1 + std::sqrt(1 + x * x));
  double sum = 0;
  double power = x;
  for (int k = 1; k < 60; k += 2) {
    sum += power / k;
    power *= -x * x;
  }
  return sum * (1 << kHalvings);
}

// P(|T| <= t).
double central_probability(double t, int n) {
  const double nd = n;
  const double sine = t / std::sqrt(nd + t * t);
  const double cosine_squared = nd / (nd + t * t);
  const bool odd = n % 2 == 1;
  double term = odd ? std::sqrt(cosine_squared) : 1;
  double sum = 0;
  for (int k = odd ? 1 : 0; k <= n - 2; k += 2) {
    sum += term;
    term *= cosine_squared * (k + 1) / (k + 2);
  }
  if (!odd) return sine * sum;
  return 2 / kPi * (portable_atan(t / std::sqrt(nd)) + sine * sum);
}

}  // namespace

double student_t_cdf(double t, int degrees_of_freedom) {
  const double half = central_probability(std::fabs(t), degrees_of_freedom) / 2;
  return t < 0 ? 0.5 - half : 0.5 + half;
}

double student_t_quantile(double p, int degrees_of_freedom) {
  double low = 0;
  double high = 1;
  constexpr double kFarthest = 1e12;
  while (high < kFarthest && student_t_cdf(high, degrees_of_freedom) < p) high *= 2;
  constexpr int kBisections = 80;
  for (int i = 0; i < kBisections; ++i) {
    const double middle = (low + high) / 2;
    (student_t_cdf(middle, degrees_of_freedom) < p ? low : high) = middle;
  }
  return (low + high) / 2;
}

}  // namespace plimsoll
