#include "forecast_kinds/measure.h"

#include <algorithm>
#include <cmath>

#include "stats/average.h"
#include "stats/percentile.h"

namespace plimsoll {
namespace {

constexpr std::size_t kContinuations = 200;
constexpr double kLines[] = {10, 33, 67, 90};  // percentiles of the peaks to come
constexpr std::size_t kMedian = 3;             // of kBandPercents

struct Futures {
  std::vector<double> history;
  std::vector<std::vector<double>> came;
  std::vector<double> peaks;
};

Futures futures_of(const Kind& kind, std::uint64_t seed) {
  Futures futures;
  for (std::size_t k = 0; k < kContinuations; ++k) {
    const std::vector<double> series = draw_series(kind, seed, k);
    const auto now = series.begin() + static_cast<std::ptrdiff_t>(kind.known_steps());
    if (k == 0) futures.history.assign(series.begin(), now);
    futures.came.emplace_back(now, series.end());
    futures.peaks.push_back(*std::max_element(now, series.end()));
  }
  return futures;
}

double mean_absolute_error(const Futures& futures, std::span<const double> point) {
  double sum = 0;
  for (const std::vector<double>& came : futures.came) {
    for (std::size_t h = 0; h < point.size(); ++h) sum += std::fabs(came[h] - point[h]);
  }
  return sum;
}

double share_above(std::span<const double> values, double line) {
  const auto above = std::ranges::count_if(values, [&](double value) { return value > line; });
  return static_cast<double>(above) / static_cast<double>(values.size());
}

// `week`: steps that are repeated.
void add(const Futures& futures, const Outlook& outlook, std::size_t week, KindScore* sum,
         std::vector<double>* biases) {
  const BandQuantiles peak = outlook.peak();
  sum->peak_covered += share_above(futures.peaks, std::nextafter(peak.front(), -1.0)) -
                       share_above(futures.peaks, peak.back());
  std::vector<double> highest;
  for (const std::vector<double>& path : outlook.paths) highest.push_back(std::ranges::max(path));
  Percentiles<double> peaks(futures.peaks);
  for (const double percentile : kLines) {
    const double line = peaks.at(percentile);
    const double truth = share_above(futures.peaks, line);
    const double said = share_above(highest, line);
    sum->brier += ((said - truth) * (said - truth) + truth * (1 - truth)) / std::size(kLines);
  }
  sum->band_width += (peak.back() - peak.front()) / (peaks.at(95) - peaks.at(5));
  const std::vector<double> repeated =
      seasonal_naive_forecast(futures.history, week, outlook.horizon());
  sum->mase_ratio +=
      mean_absolute_error(futures, outlook.point) / mean_absolute_error(futures, repeated);
  biases->push_back(peak[kMedian] / peaks.at(50) - 1);
}

}  // namespace

std::optional<KindScore> score_of(const Kind& kind, std::size_t series,
                                  std::optional<ForecastMethod> method) {
  OutlookOptions options;
  options.horizon = kind.steps_ahead();
  options.step_s = kDayS / static_cast<double>(kind.steps_per_day);
  options.method = method;
  options.zone_s = 0;
  const std::size_t week = kind.steps_per_day * std::min<std::size_t>(kind.days, 7);
  KindScore score;
  std::vector<double> biases;
  for (std::uint64_t seed = 1; seed <= series; ++seed) {
    const Futures futures = futures_of(kind, seed);
    constexpr std::size_t kMonday = 4;  // of 1970
    options.start_s = kDayS * static_cast<double>(kMonday + first_weekday(kind, seed) + kind.days);
    const auto outlook = look_ahead(futures.history, options);
    if (!outlook) return std::nullopt;
    add(futures, *outlook, week, &score, &biases);
  }
  const auto count = static_cast<double>(series);
  for (double KindScore::*mean : {&KindScore::peak_covered, &KindScore::brier,
                                  &KindScore::band_width, &KindScore::mase_ratio}) {
    score.*mean /= count;
  }
  score.peak_bias = median_of(biases);
  return score;
}

}  // namespace plimsoll
