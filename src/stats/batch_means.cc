#include "stats/batch_means.h"

#include <cmath>

#include "stats/average.h"
#include "stats/student_t.h"

namespace plimsoll {
namespace {

constexpr double kAcceptedCorrelation = 0.1;

double sum_of_squares(std::span<const double> values, double center) {
  double sum = 0;
  for (const double v : values) sum += (v - center) * (v - center);
  return sum;
}

// A batch is the observations [first, first + size). The first few that do not fill a batch are
// left out: they are the ones closest to the start.
struct Batches {
  std::size_t first;
  std::size_t size;
  std::size_t count;
};

Batches divide(std::size_t observations, std::size_t count) {
  const std::size_t size = observations / count;
  return {observations - size * count, size, count};
}

template <class Estimate>
std::vector<double> estimate_each(const Batches& b, Estimate estimate) {
  std::vector<double> values(b.count);
  for (std::size_t i = 0; i < b.count; ++i) values[i] = estimate(b.first + i * b.size, b.size);
  return values;
}

// The interval around `center` that independent or weakly correlated estimates support.
Interval around(double center, std::span<const double> estimates, double level) {
  const auto k = static_cast<double>(estimates.size());
  const double variance = sum_of_squares(estimates, center) / (k - 1);
  const double r = std::fmax(0, neighbour_correlation(estimates));
  const double widening = r > kAcceptedCorrelation ? (1 + r) / (1 - r) : 1;
  const double t = student_t_quantile((1 + level) / 2, static_cast<int>(estimates.size()) - 1);
  const double half = t * std::sqrt(variance * widening / k);
  return {center - half, center + half};
}

// `estimate(first, size)` is the estimate from one batch, `least` the observations it needs.
template <class Estimate>
std::optional<Interval> batch_interval(std::size_t observations, double least, double level,
                                       double center, Estimate estimate) {
  for (const std::size_t count : {kMostBatches, kFewestBatches}) {
    const Batches batches = divide(observations, count);
    if (static_cast<double>(batches.size) < least) continue;
    const std::vector<double> estimates = estimate_each(batches, estimate);
    const bool last = count == kFewestBatches;
    if (!last && neighbour_correlation(estimates) > kAcceptedCorrelation) continue;
    if (clearly_correlated(estimates)) continue;
    return around(center, estimates, level);
  }
  return std::nullopt;
}

// Of the share of observations up to `limit`, which is percentile p of all; none if it passes an
// end.
std::optional<Interval> share_interval(std::span<const double> series, double limit, double p,
                                       double level) {
  const double least = 10 / (1 - p / 100);
  auto share = batch_interval(series.size(), least, level, p / 100,
                              [&](std::size_t first, std::size_t size) {
                                std::size_t below = 0;
                                for (const double v : series.subspan(first, size))
                                  below += v <= limit;
                                return static_cast<double>(below) / static_cast<double>(size);
                              });
  if (share && (share->low < 0 || share->high > 1)) share.reset();
  return share;
}

}  // namespace

double neighbour_correlation(std::span<const double> values) {
  const double squares = sum_of_squares(values, mean_of(values));
  if (!(squares > 0)) return 0;
  double differences = 0;
  for (std::size_t i = 1; i < values.size(); ++i) {
    differences += (values[i] - values[i - 1]) * (values[i] - values[i - 1]);
  }
  return 1 - differences / (2 * squares);
}

bool clearly_correlated(std::span<const double> values) {
  constexpr double kNormal99 = 2.3263478740408408;
  const auto n = static_cast<double>(values.size());
  // Under independence the statistic has variance (n - 2) / (n^2 - 1) (von Neumann 1941).
  return neighbour_correlation(values) > kNormal99 * std::sqrt((n - 2) / (n * n - 1));
}

std::optional<Interval> mean_interval(std::span<const double> series, double level) {
  constexpr double kLeast = 2;
  return batch_interval(
      series.size(), kLeast, level, mean_of(series),
      [&](std::size_t first, std::size_t size) { return mean_of(series.subspan(first, size)); });
}

std::optional<Interval> ratio_interval(std::span<const double> numerators,
                                       std::span<const double> denominators, double level) {
  const double denominator = mean_of(denominators);
  if (!(denominator > 0)) return std::nullopt;
  const double ratio = mean_of(numerators) / denominator;
  constexpr double kLeast = 2;
  return batch_interval(numerators.size(), kLeast, level, ratio,
                        [&](std::size_t first, std::size_t size) {
                          const double n = mean_of(numerators.subspan(first, size));
                          const double d = mean_of(denominators.subspan(first, size));
                          return ratio + (n - ratio * d) / denominator;
                        });
}

std::vector<std::optional<Interval>> percentile_intervals(std::span<const double> series,
                                                          Percentiles<double>& of_series,
                                                          std::span<const double> percentiles,
                                                          double level) {
  of_series.prepare(percentiles);
  std::vector<std::optional<Interval>> shares;
  std::vector<double> ends;
  for (const double p : percentiles) {
    shares.push_back(share_interval(series, of_series.at(p), p, level));
    if (!shares.back()) continue;
    ends.push_back(100 * shares.back()->low);
    ends.push_back(100 * shares.back()->high);
  }
  of_series.prepare(ends);
  for (std::optional<Interval>& share : shares) {
    if (share) share = Interval{of_series.at(100 * share->low), of_series.at(100 * share->high)};
  }
  return shares;
}

std::optional<Interval> percentile_interval(std::span<const double> series,
                                            Percentiles<double>& of_series, double p,
                                            double level) {
  return percentile_intervals(series, of_series, {&p, 1}, level).front();
}

}  // namespace plimsoll
