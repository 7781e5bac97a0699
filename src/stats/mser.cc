#include "stats/mser.h"

#include <limits>
#include <vector>

namespace plimsoll {
namespace {

constexpr std::size_t kPerMean = 5;

std::vector<double> means_of_five(std::span<const double> series) {
  std::vector<double> means(series.size() / kPerMean);
  for (std::size_t i = 0; i < means.size(); ++i) {
    double sum = 0;
    for (std::size_t k = 0; k < kPerMean; ++k) sum += series[i * kPerMean + k];
    means[i] = sum / kPerMean;
  }
  return means;
}

}  // namespace

WarmupCut mser5(std::span<const double> series) {
  const std::vector<double> means = means_of_five(series);
  constexpr std::size_t kFewest = 10;
  if (means.size() < kFewest) return {};

  // From the back, so that each cut costs O(1): Welford's sums over means[cut..].
  const std::size_t last_cut = means.size() / 2;
  double mean = 0;
  double squares = 0;  // sum of squared deviations from `mean`
  double least = std::numeric_limits<double>::infinity();
  std::size_t best = 0;
  for (std::size_t cut = means.size(); cut-- > 0;) {
    const auto n = static_cast<double>(means.size() - cut);
    const double deviation = means[cut] - mean;
    mean += deviation / n;
    squares += deviation * (means[cut] - mean);
    if (cut > last_cut) continue;
    const double error = squares / (n * n);
    if (error <= least) {
      least = error;
      best = cut;
    }
  }
  // Twentieth: a cut this close to the end of the search means that the error was still falling.
  const bool settled = best + last_cut / 20 < last_cut;
  return {best * kPerMean, settled};
}

}  // namespace plimsoll
