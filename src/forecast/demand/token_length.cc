#include "forecast/demand/token_length.h"

#include <algorithm>
#include <cmath>

#include "random/portable_math.h"

namespace plimsoll {
namespace {

constexpr double kNormal95 = 1.6448536269514722;  // quantile of the normal distribution

LognormalLength lognormal(const TokenLength& length) {
  const double variance = portable_log(1 + length.cv * length.cv);
  LognormalLength drawn{portable_log(std::max(1.0, length.mean)) - variance / 2,
                        std::sqrt(variance)};
  drawn.min = 1;
  return drawn;
}

}  // namespace

double TokenLength::p95() const {
  if (cv <= 0) return mean;
  const LognormalLength drawn = lognormal(*this);
  return portable_exp(drawn.mu + kNormal95 * drawn.sigma);
}

LengthDistribution TokenLength::drawn() const {
  if (cv <= 0) return ConstantLength{std::llround(std::max(1.0, mean))};
  return lognormal(*this);
}

TokenLength length_by_percentiles(double p50, double p95) {
  const double sigma = portable_log(p95 / p50) / kNormal95;
  const double spread = portable_exp(sigma * sigma);
  return {p50 * std::sqrt(spread), std::sqrt(spread - 1)};
}

}  // namespace plimsoll
