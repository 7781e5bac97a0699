#include "forecast/history/steps.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "forecast/history/history.h"

namespace plimsoll {
namespace {

constexpr double kJitter = 0.1;  // of a step
constexpr std::int64_t kSecond = 1'000'000'000;
constexpr std::int64_t kMinute = 60 * kSecond;

template <class Holds>
bool holds_for_all(const std::vector<HistoryRoute>& routes, const Holds& holds) {
  return std::ranges::all_of(
      routes, [&](const HistoryRoute& route) { return std::ranges::all_of(route.rows, holds); });
}

// The first time, or the whole day, hour, quarter or minute that it is a little before or after: if
// it alone came early, all others would else be moved into the step before.
std::int64_t anchor_for(std::int64_t grid_ns, const HistorySteps& steps) {
  for (const std::int64_t unit : {grid_ns, 60 * kMinute, 15 * kMinute, kMinute}) {
    const std::int64_t whole = (steps.first_ns + unit / 2) / unit * unit;
    const auto off = static_cast<double>(std::abs(steps.first_ns - whole));
    if (unit <= grid_ns && off <= kJitter / 2 * static_cast<double>(grid_ns)) return whole;
  }
  return steps.first_ns;
}

/// How far off a grid times are at most; below 0: they do not lie on it.
std::int64_t snap_to(std::int64_t grid_ns, std::vector<HistoryRoute>* routes, HistorySteps* steps) {
  const auto is_on_it = [&](const HistoryRow& row) {
    return (row.ns - steps->first_ns) % grid_ns == 0;
  };
  if (holds_for_all(*routes, is_on_it)) return 0;
  const std::int64_t anchor_ns = anchor_for(grid_ns, *steps);
  const auto on_grid = [&](std::int64_t ns) {
    const double k = std::round(static_cast<double>(ns - anchor_ns) / static_cast<double>(grid_ns));
    return anchor_ns + static_cast<std::int64_t>(k) * grid_ns;
  };
  std::int64_t worst_ns = 0;
  for (const HistoryRoute& route : *routes) {
    std::int64_t before = on_grid(route.rows.front().ns) - grid_ns;
    for (const HistoryRow& row : route.rows) {
      const std::int64_t there = on_grid(row.ns);
      worst_ns = std::max(worst_ns, std::abs(row.ns - there));
      if (there <= before) return -1;  // two rows for one step
      before = there;
    }
  }
  if (static_cast<double>(worst_ns) > kJitter * static_cast<double>(grid_ns)) return -1;
  for (HistoryRoute& route : *routes) {
    for (HistoryRow& row : route.rows) row.ns = on_grid(row.ns);
  }
  *steps = {on_grid(steps->first_ns), on_grid(steps->last_ns), grid_ns};
  return worst_ns;
}

constexpr std::int64_t kWeekNs = 604'800'000'000'000;

}  // namespace

HistorySteps steps_of(const std::vector<HistoryRoute>& routes) {
  HistorySteps steps{std::numeric_limits<std::int64_t>::max(),
                     std::numeric_limits<std::int64_t>::min(), 0};
  std::vector<std::int64_t> distances;
  for (const HistoryRoute& route : routes) {
    steps.first_ns = std::min(steps.first_ns, route.rows.front().ns);
    steps.last_ns = std::max(steps.last_ns, route.rows.back().ns);
    for (std::size_t i = 1; i < route.rows.size(); ++i)
      distances.push_back(route.rows[i].ns - route.rows[i - 1].ns);
  }
  if (distances.empty()) return steps;
  const auto middle = distances.begin() + (std::ssize(distances) - 1) / 2;
  std::nth_element(distances.begin(), middle, distances.end());
  steps.each_ns = *middle;
  return steps;
}

// The median tells the step of a good clock, the mean that of a bad one, and neither that of one
// that is late by turns: there it is whole minutes, hours or days.
double snap(std::vector<HistoryRoute>* routes, HistorySteps* steps) {
  const auto range = static_cast<double>(steps->last_ns - steps->first_ns);
  const double count = std::round(range / static_cast<double>(steps->each_ns));
  if (count < 1 || count > kMostHistorySteps) return 0;
  const double mean_s = range / count / 1e9;
  const bool is_whole = std::round(mean_s) > 0 && std::abs(mean_s - std::round(mean_s)) < kJitter;
  const bool by_median = steps->each_ns % kSecond == 0 || !is_whole;
  std::vector<std::int64_t> grids{by_median ? steps->each_ns : std::llround(mean_s) * kSecond};
  for (const std::int64_t unit : {kMinute, 60 * kMinute, 24 * 60 * kMinute})
    grids.push_back((steps->each_ns + unit / 2) / unit * unit);
  for (const std::int64_t grid_ns : grids) {
    const std::int64_t off_ns = grid_ns > 0 ? snap_to(grid_ns, routes, steps) : -1;
    if (off_ns >= 0) return static_cast<double>(off_ns) / 1e9;
  }
  return 0;
}

double as_weeks_were(const std::vector<double>& came, std::int64_t step_ns, std::size_t i) {
  const auto week = static_cast<std::size_t>(kWeekNs / step_ns);
  const bool is_whole = week > 0 && kWeekNs % step_ns == 0;
  if (!is_whole || i < week || i + week >= came.size())
    return std::numeric_limits<double>::quiet_NaN();
  return (came[i - week] + came[i + week]) / 2;
}

void FilledGaps::add(const FilledGaps& more) {
  values += more.values;
  as_weeks += more.as_weeks;
}

std::string FilledGaps::how() const {
  const std::string lines = "on straight lines between neighbours";
  if (as_weeks == 0) return lines;
  return std::string("with the mean of the same time a week before and after") +
         (as_weeks < values ? ", else " + lines : "");
}

FilledGaps fill_gaps(std::int64_t step_ns, std::vector<double>* values) {
  FilledGaps filled;
  const std::vector<double> came = *values;
  std::size_t known = 0;  // the last one before here
  for (std::size_t i = 0; i < came.size(); ++i) {
    if (std::isnan(came[i])) continue;
    const bool is_long = static_cast<std::int64_t>(i - known - 1) * step_ns > kShortGapNs;
    for (std::size_t gap = known + 1; i > 0 && gap < i; ++gap) {
      const double share = static_cast<double>(gap - known) / static_cast<double>(i - known);
      const double line = came[known] + share * (came[i] - came[known]);
      const double weeks = is_long ? as_weeks_were(came, step_ns, gap) : std::nan("");
      (*values)[gap] = std::isnan(weeks) ? line : weeks;
      filled.values += 1;
      filled.as_weeks += std::isnan(weeks) ? 0 : 1;
    }
    known = i;
  }
  return filled;
}

}  // namespace plimsoll
