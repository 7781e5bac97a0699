#include "forecast/demand/token_length.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "random/distributions.h"
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

double at_deviations(double deviations, const TokenLength& length) {
  if (length.cv <= 0) return length.mean;
  const LognormalLength drawn = lognormal(length);
  return portable_exp(drawn.mu + deviations * drawn.sigma);
}

TokenLength of_moments(double mean, double variance) {
  return {mean, mean > 0 ? std::sqrt(variance) / mean : 0};
}

}  // namespace

double TokenLength::p95() const { return at_deviations(kNormal95, *this); }

double TokenLength::quantile(double p) const { return at_deviations(normal_quantile(p), *this); }

LengthDistribution TokenLength::drawn() const {
  if (cv <= 0) return ConstantLength{std::llround(std::max(1.0, mean))};
  return lognormal(*this);
}

TokenLength length_by_percentiles(double p50, double p95) {
  const double sigma = portable_log(p95 / p50) / kNormal95;
  const double spread = portable_exp(sigma * sigma);
  return {p50 * std::sqrt(spread), std::sqrt(spread - 1)};
}

TokenLength sum_of(const TokenLength& a, const TokenLength& b) {
  return of_moments(a.mean + b.mean, a.variance() + b.variance());
}

TokenLength RoundPrompts::of_round(std::int64_t round) const {
  const auto answers = static_cast<double>(round);
  return of_moments((answers + 1) * added_.mean + answers * answer_.mean,
                    (answers + 1) * added_.variance() + answers * answer_.variance());
}

TokenLength RoundPrompts::all() const {
  double mean = 0;
  double square = 0;
  for (std::int64_t round = 0; round < rounds_; ++round) {
    mean += of_round(round).mean / static_cast<double>(rounds_);
    square += of_round(round).second_moment() / static_cast<double>(rounds_);
  }
  return of_moments(mean, std::max(0.0, square - mean * mean));
}

// Of so many quantiles of each round, which are as many requests.
double RoundPrompts::p95(bool with_answer) const {
  constexpr int kQuantiles = 100;
  std::vector<double> lengths;
  for (std::int64_t round = 0; round < rounds_; ++round) {
    const TokenLength prompt = of_round(round);
    const TokenLength length = with_answer ? sum_of(prompt, answer_) : prompt;
    for (int i = 0; i < kQuantiles; ++i) lengths.push_back(length.quantile((i + 0.5) / kQuantiles));
  }
  const auto p95 = lengths.begin() + std::llround(0.95 * static_cast<double>(lengths.size())) - 1;
  std::ranges::nth_element(lengths, p95);
  return *p95;
}

}  // namespace plimsoll
