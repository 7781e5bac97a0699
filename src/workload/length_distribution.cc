#include "workload/length_distribution.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "random/distributions.h"
#include "random/portable_math.h"

namespace plimsoll {
namespace {

double clamped(double value, std::int64_t min, std::int64_t max) {
  // Written so that NaN and infinity end inside the range, too.
  if (!(value > static_cast<double>(min))) return static_cast<double>(min);
  return std::min(value, static_cast<double>(max));
}

// To nearest, halves up, for values of at least 0.
std::int64_t rounded(double value) {
  const auto whole = static_cast<std::int64_t>(value);
  return value - static_cast<double>(whole) >= 0.5 ? whole + 1 : whole;
}

double draw_lognormal(double mu, double sigma, RandomStream& stream) {
  return portable_exp(mu + sigma * draw_normal(stream));
}

double draw_value(const GaussianLength& d, RandomStream& stream) {
  if (d.min == d.max) return static_cast<double>(d.min);
  return clamped(d.mean + d.stdev * draw_normal(stream), d.min, d.max);
}

double draw_value(const ExponentialLength& d, RandomStream& stream) {
  return clamped(d.mean * draw_exponential(stream), d.min, d.max);
}

double draw_value(const LognormalLength& d, RandomStream& stream) {
  return clamped(draw_lognormal(d.mu, d.sigma, stream), d.min, d.max);
}

double draw_value(const ParetoLognormalLength& d, RandomStream& stream) {
  const bool pareto = stream.uniform() < d.mix_weight;
  return clamped(pareto ? d.xm * portable_pow(stream.uniform(), -1 / d.alpha)
                        : draw_lognormal(d.mu, d.sigma, stream),
                 0, kMaxTokens);
}

}  // namespace

double clamped_mean(const GaussianLength& length) {
  if (length.stdev <= 0) return length.mean;
  const auto below = [](double z) { return std::erfc(-z / std::numbers::sqrt2) / 2; };
  const auto density = [](double z) {
    return std::exp(-z * z / 2) / std::sqrt(2 * std::numbers::pi);
  };
  const auto least = static_cast<double>(length.min);
  const auto most = static_cast<double>(length.max);
  const double low = (least - length.mean) / length.stdev;
  const double high = (most - length.mean) / length.stdev;
  return least * below(low) + most * below(-high) + length.mean * (below(high) - below(low)) +
         length.stdev * (density(low) - density(high));
}

Choices<std::size_t> length_distributions() {
  static constexpr Choice<std::size_t> kDistributions[]{
      {"constant", 0, "always value tokens"},
      {"gaussian", 1, "normal within limits: mean, std_dev, min, max"},
      {"exponential", 2, "many short, few long: mean; min, max"},
      {"lognormal", 3, "the logarithm is normal: mu, sigma; min, max"},
      {"pareto_lognormal", 4,
       "Pareto with chance mix_weight, else lognormal: alpha, xm, mu, sigma"},
      {"empirical", 5, "weights of token counts, in the specification or a file"},
  };
  return kDistributions;
}

LengthSampler::LengthSampler(const LengthDistribution& distribution, std::int64_t least)
    : distribution_(distribution), least_(least) {
  const auto* empirical = std::get_if<EmpiricalLength>(&distribution_);
  if (empirical == nullptr) return;
  double sum = 0;
  for (const auto& [tokens, weight] : empirical->weights) cumulative_.push_back(sum += weight);
  for (double& c : cumulative_) c /= sum;
}

std::int32_t LengthSampler::draw_from(RandomStream& stream) const {
  double value = 0;
  switch (distribution_.index()) {
    case 0:
      return static_cast<std::int32_t>(std::max(least_, std::get<0>(distribution_).tokens));
    case 1: {
      const GaussianLength& d = std::get<1>(distribution_);
      if (d.min == d.max) return static_cast<std::int32_t>(d.min);
      value = draw_value(d, stream);
      break;
    }
    case 2:
      value = draw_value(std::get<2>(distribution_), stream);
      break;
    case 3:
      value = draw_value(std::get<3>(distribution_), stream);
      break;
    case 4:
      value = draw_value(std::get<4>(distribution_), stream);
      break;
    default: {
      const auto at = std::lower_bound(cumulative_.begin(), cumulative_.end(), stream.uniform());
      const auto bin = std::min<std::ptrdiff_t>(
          at - cumulative_.begin(), static_cast<std::ptrdiff_t>(cumulative_.size()) - 1);
      value = static_cast<double>(
          std::get<5>(distribution_).weights[static_cast<std::size_t>(bin)].first);
      break;
    }
  }
  return static_cast<std::int32_t>(std::max(least_, rounded(value)));
}

}  // namespace plimsoll
