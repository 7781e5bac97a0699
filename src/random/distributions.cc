#include "random/distributions.h"

#include <cmath>

#include "random/portable_math.h"

namespace plimsoll {
namespace {

// Polynomial with the constant term first.
template <int N>
double polynomial(const double (&coefficients)[N], double x) {
  double value = coefficients[N - 1];
  for (int i = N - 2; i >= 0; --i) value = value * x + coefficients[i];
  return value;
}

// AS 241, routine PPND16: numerator and denominator around the middle, in the tails and far out.
constexpr double kMiddleNumerator[] = {3.3871328727963666080e0,  1.3314166789178437745e+2,
                                       1.9715909503065514427e+3, 1.3731693765509461125e+4,
                                       4.5921953931549871457e+4, 6.7265770927008700853e+4,
                                       3.3430575583588128105e+4, 2.5090809287301226727e+3};
constexpr double kMiddleDenominator[] = {1.0,
                                         4.2313330701600911252e+1,
                                         6.8718700749205790830e+2,
                                         5.3941960214247511077e+3,
                                         2.1213794301586595867e+4,
                                         3.9307895800092710610e+4,
                                         2.8729085735721942674e+4,
                                         5.2264952788528545610e+3};
constexpr double kTailNumerator[] = {1.42343711074968357734e0,  4.63033784615654529590e0,
                                     5.76949722146069140550e0,  3.64784832476320460504e0,
                                     1.27045825245236838258e0,  2.41780725177450611770e-1,
                                     2.27238449892691845833e-2, 7.74545014278341407640e-4};
constexpr double kTailDenominator[] = {1.0,
                                       2.05319162663775882187e0,
                                       1.67638483018380384940e0,
                                       6.89767334985100004550e-1,
                                       1.48103976427480074590e-1,
                                       1.51986665636164571966e-2,
                                       5.47593808499534494600e-4,
                                       1.05075007164441684324e-9};
constexpr double kFarNumerator[] = {6.65790464350110377720e0,  5.46378491116411436990e0,
                                    1.78482653991729133580e0,  2.96560571828504891230e-1,
                                    2.65321895265761230930e-2, 1.24266094738807843860e-3,
                                    2.71155556874348757815e-5, 2.01033439929228813265e-7};
constexpr double kFarDenominator[] = {1.0,
                                      5.99832206555887937690e-1,
                                      1.36929880922735805310e-1,
                                      1.48753612908506148525e-2,
                                      7.86869131145613259100e-4,
                                      1.84631831751005468180e-5,
                                      1.42151175831644588870e-7,
                                      2.04426310338993978564e-15};

double weibull_cv(double shape) {
  const double log_ratio =
      portable_log_gamma(1 + 2 / shape) - 2 * portable_log_gamma(1 + 1 / shape);
  return std::sqrt(portable_exp(log_ratio) - 1);
}

}  // namespace

double draw_exponential(RandomStream& stream) { return -portable_log(stream.uniform()); }

double normal_quantile(double p) {
  const double q = p - 0.5;
  if (q >= -0.425 && q <= 0.425) {
    const double r = 0.180625 - q * q;
    return q * polynomial(kMiddleNumerator, r) / polynomial(kMiddleDenominator, r);
  }
  const double r = std::sqrt(-portable_log(q < 0 ? p : 1 - p));
  const double tail =
      r <= 5 ? polynomial(kTailNumerator, r - 1.6) / polynomial(kTailDenominator, r - 1.6)
             : polynomial(kFarNumerator, r - 5) / polynomial(kFarDenominator, r - 5);
  return q < 0 ? -tail : tail;
}

double draw_normal(RandomStream& stream) { return normal_quantile(stream.uniform()); }

double draw_gamma(RandomStream& stream, double shape) {
  if (shape < 1) {
    const double boost = portable_pow(stream.uniform(), 1 / shape);
    return boost * draw_gamma(stream, shape + 1);
  }
  const double d = shape - 1.0 / 3;
  const double c = 1 / std::sqrt(9 * d);
  for (;;) {
    const double x = draw_normal(stream);
    const double root = 1 + c * x;
    if (root <= 0) continue;
    const double v = root * root * root;
    if (portable_log(stream.uniform()) < 0.5 * x * x + d - d * v + d * portable_log(v)) {
      return d * v;
    }
  }
}

double draw_weibull(RandomStream& stream, double shape) {
  return portable_pow(draw_exponential(stream), 1 / shape);
}

double draw_length_biased_weibull(RandomStream& stream, double shape) {
  return portable_pow(draw_gamma(stream, 1 + 1 / shape), 1 / shape);
}

double weibull_mean(double shape) { return portable_exp(portable_log_gamma(1 + 1 / shape)); }

double weibull_shape_for_cv(double cv) {
  double low = 0.1;  // the more spread the smaller the shape
  double high = 100;
  for (int i = 0; i < 60; ++i) {
    const double middle = 0.5 * (low + high);
    (weibull_cv(middle) > cv ? low : high) = middle;
  }
  return 0.5 * (low + high);
}

}  // namespace plimsoll
