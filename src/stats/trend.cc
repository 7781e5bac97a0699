#include "stats/trend.h"

#include <algorithm>
#include <cmath>

#include "stats/average.h"
#include "stats/batch_means.h"
#include "stats/student_t.h"

namespace plimsoll {
std::vector<double> batch_averages(std::span<const double> series, std::size_t count) {
  const std::size_t size = series.size() / count;
  const auto used = series.last(size * count);
  std::vector<double> averages(count);
  for (std::size_t i = 0; i < count; ++i) averages[i] = mean_of(used.subspan(i * size, size));
  return averages;
}

Growth growth_of(std::span<const double> series) {
  const auto stretch = series.subspan(series.size() / 3);
  const std::vector<double> batches = batch_averages(stretch, kFewestBatches);
  const auto k = static_cast<double>(batches.size());
  const double mean = mean_of(batches);
  const auto centered = [&](std::size_t i) { return static_cast<double>(i) - (k - 1) / 2; };

  double xx = 0;
  double xy = 0;
  for (std::size_t i = 0; i < batches.size(); ++i) {
    xx += centered(i) * centered(i);
    xy += centered(i) * batches[i];
  }
  const double slope = xy / xx;
  std::vector<double> residuals(batches.size());
  double squares = 0;
  for (std::size_t i = 0; i < batches.size(); ++i) {
    residuals[i] = batches[i] - mean - slope * centered(i);
    squares += residuals[i] * residuals[i];
  }
  const double r = std::fmax(0, neighbour_correlation(residuals));
  const double error = std::sqrt(squares / (k - 2) * (1 + r) / (1 - r) / xx);
  const double t = student_t_quantile(0.99, static_cast<int>(batches.size()) - 2);

  Growth growth;
  const std::size_t cells_per_batch = stretch.size() / batches.size();
  growth.per_cell = slope / static_cast<double>(cells_per_batch);
  growth.share = mean > 0 ? slope * k / mean : 0;
  growth.certain = slope > 0 && slope > t * error;
  return growth;
}

bool never_came_back(std::span<const double> series) {
  const auto middle = series.subspan(series.size() / 3, series.size() / 3);
  const auto late = series.last(series.size() / 4);
  return *std::min_element(late.begin(), late.end()) > mean_of(middle);
}

bool halves_differ(std::span<const double> series) {
  constexpr std::size_t kPerHalf = 5;
  const std::vector<double> early = batch_averages(series.first(series.size() / 2), kPerHalf);
  const std::vector<double> late = batch_averages(series.last(series.size() / 2), kPerHalf);
  const double mean_early = mean_of(early);
  const double mean_late = mean_of(late);
  double squares = 0;
  for (const double value : early) squares += (value - mean_early) * (value - mean_early);
  for (const double value : late) squares += (value - mean_late) * (value - mean_late);
  const double standard_error = std::sqrt(squares / (kPerHalf * (kPerHalf - 1)));
  const double t99 = student_t_quantile(0.995, 2 * kPerHalf - 2);
  return std::fabs(mean_late - mean_early) > t99 * standard_error;
}

double relative_spread(std::span<const double> values) {
  const double mean = mean_of(values);
  if (!(mean > 0)) return 0;
  double squares = 0;
  for (const double v : values) squares += (v - mean) * (v - mean);
  return std::sqrt(squares / static_cast<double>(values.size() - 1)) / mean;
}

bool rate_changes(std::span<const double> arrivals) {
  constexpr std::size_t kParts = kFewestBatches;
  constexpr std::size_t kCellsPerPart = kRateCells / kParts;
  constexpr double kClearRatio = 3;      // of variances; the 99.9 % point of F(19, 180) is 2.5
  constexpr double kClearScatter = 0.1;  // relative, of the rates of the parts
  const double overall = mean_of(arrivals);
  double within = 0;
  double between = 0;
  for (std::size_t part = 0; part < kParts; ++part) {
    const auto cells = arrivals.subspan(part * kCellsPerPart, kCellsPerPart);
    const double mean = mean_of(cells);
    for (const double c : cells) within += (c - mean) * (c - mean);
    between += (mean - overall) * (mean - overall);
  }
  within /= kParts * (kCellsPerPart - 1);
  between /= kParts - 1;
  return between * kCellsPerPart > kClearRatio * within &&
         std::sqrt(between) > kClearScatter * overall;
}

}  // namespace plimsoll
