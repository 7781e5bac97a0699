#include "forecast/history/profile.h"

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "forecast/demand/resource.h"
#include "stats/percentile.h"

namespace plimsoll {
namespace {

constexpr double kHour = 3600;
constexpr double kFewest = 2;        // whole days, or weeks
constexpr std::int64_t kMonday = 3;  // 1970-01-01 was a Thursday

std::vector<double> shares(const History& history, const HistorySeries& series, std::size_t cells,
                           double cell_s, std::int64_t shift) {
  std::vector<double> sum(cells), count(cells);
  double all = 0;
  for (std::size_t i = 0; i < series.values.size(); ++i) {
    const double time_s = history.start_s + history.step_s * static_cast<double>(i);
    const auto cell = static_cast<std::int64_t>(std::floor(time_s / cell_s)) + shift;
    const auto at = static_cast<std::size_t>(cell) % cells;
    sum[at] += series.values[i];
    count[at] += 1;
    all += series.values[i];
  }
  const double mean = all / static_cast<double>(series.values.size());
  if (!(mean > 0) || std::ranges::count(count, 0.0) > 0) return {};
  for (std::size_t i = 0; i < cells; ++i) sum[i] /= count[i] * mean;
  return sum;
}

}  // namespace

std::optional<int> DemandProfile::peak_hour() const {
  if (by_hour.empty()) return std::nullopt;
  return static_cast<int>(std::ranges::max_element(by_hour) - by_hour.begin());
}

DemandProfile profile_of(const History& history, const HistorySeries& series) {
  DemandProfile profile;
  const auto count = static_cast<double>(series.values.size());
  for (const double value : series.values) profile.mean += value / count;
  double squares = 0;
  for (const double value : series.values)
    squares += (value - profile.mean) * (value - profile.mean);
  const double variance = squares / std::max(1.0, count - 1);
  Percentiles<double> percentiles(series.values);
  profile.p50 = percentiles.at(50);
  profile.p95 = percentiles.at(95);
  if (profile.mean > 0) {
    profile.cv = std::sqrt(variance) / profile.mean;
    const bool is_requests = series.name == "requests" || series.name == "requests_per_s";
    if (is_requests && history.step_s <= kHour)
      profile.dispersion = variance * history.step_s / profile.mean;
  }
  const double days = count * history.step_s / kDayS;
  if (!history.dated) return profile;
  if (history.step_s <= kHour && days >= kFewest) {
    profile.by_hour = shares(history, series, 24, kHour, 0);
  }
  if (history.step_s <= kDayS && days >= 7 * kFewest) {
    profile.by_weekday = shares(history, series, 7, kDayS, kMonday);
  }
  return profile;
}

}  // namespace plimsoll
