// Do samples follow the distribution they should? For tests of whatever draws random numbers; with
// fixed seeds their answers never change.
#pragma once

#include <algorithm>
#include <cmath>
#include <functional>
#include <vector>

namespace plimsoll {

/// Kolmogorov-Smirnov: the largest distance between the samples' distribution and `cdf`, times
/// sqrt(n). Above 1.95 with probability 0.001 if they agree (Smirnov 1948).
inline double ks_distance(std::vector<double> samples, const std::function<double(double)>& cdf) {
  std::sort(samples.begin(), samples.end());
  const auto n = static_cast<double>(samples.size());
  double distance = 0;
  for (std::size_t i = 0; i < samples.size(); ++i) {
    const double p = cdf(samples[i]);
    const auto below = static_cast<double>(i);
    distance = std::max({distance, p - below / n, (below + 1) / n - p});
  }
  return distance * std::sqrt(n);
}
inline constexpr double kKsLimit = 1.95;

/// Pearson's chi-square, brought to a standard normal (Wilson and Hilferty 1931): above 3.1 with
/// probability 0.001 if the counts have these expectations. `fitted` = parameters not fixed
/// beforehand, 1 if the total is not.
inline double chi_square(const std::vector<double>& counts, const std::vector<double>& expected,
                         int fitted = 0) {
  double sum = 0;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    sum += (counts[i] - expected[i]) * (counts[i] - expected[i]) / expected[i];
  }
  const double freedom = static_cast<double>(counts.size()) - fitted;
  const double spread = 2 / (9 * freedom);
  return (std::cbrt(sum / freedom) - (1 - spread)) / std::sqrt(spread);
}
inline constexpr double kChiSquareLimit = 3.1;

}  // namespace plimsoll
