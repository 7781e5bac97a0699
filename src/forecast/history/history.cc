#include "forecast/history/history.h"

#include <algorithm>

#include "base/lists.h"
#include "base/text.h"
#include "forecast/demand/resource.h"
#include "stats/percentile.h"

namespace plimsoll {
namespace {

constexpr std::size_t kFewestRequests = 100;
constexpr std::size_t kCells = 10;  // of a step
constexpr double kLeastCv = 0.05;   // of what a generator can draw
constexpr double kLargestCv = 10;

std::optional<double> cv_of(const std::vector<std::int32_t>& lengths) {
  const auto count = static_cast<double>(lengths.size());
  double mean = 0;
  for (const std::int32_t length : lengths) mean += length / count;
  if (mean <= 0) return std::nullopt;
  double variance = 0;
  for (const std::int32_t length : lengths) {
    variance += (length - mean) * (length - mean) / (count - 1);
  }
  return std::min(std::sqrt(variance) / mean, kLargestCv);
}

// Of whole steps; none where not every tenth of them has a request on average.
std::optional<double> arrival_cv_of(const std::vector<Time>& arrivals, Duration step) {
  const auto steps = static_cast<std::size_t>(arrivals.back().ns / step.ns);
  if (steps == 0) return std::nullopt;
  const double cell_ns = static_cast<double>(step.ns) / kCells;
  std::vector<double> counts(steps * kCells);
  for (const Time arrival : arrivals) {
    const auto cell = static_cast<std::size_t>(static_cast<double>(arrival.ns) / cell_ns);
    if (cell < counts.size()) counts[cell] += 1;
  }
  double variances = 0;
  double means = 0;
  for (std::size_t first = 0; first < counts.size(); first += kCells) {
    double mean = 0;
    for (std::size_t i = first; i < first + kCells; ++i) mean += counts[i] / kCells;
    for (std::size_t i = first; i < first + kCells; ++i) {
      variances += (counts[i] - mean) * (counts[i] - mean) / (kCells - 1);
    }
    means += mean;
  }
  if (means < static_cast<double>(steps)) return std::nullopt;
  return std::clamp(std::sqrt(variances / means), kLeastCv, kLargestCv);
}

tl::unexpected<Error> no_whole_step(const std::string& of) {
  return fail(ErrorKind::usage, "the history does not fill one " + of, "take a shorter " + of);
}

// By the clock of the file, so that a day is a day of the calendar.
std::size_t steps_before_midnight(const History& history, double window_s) {
  if (!history.dated || std::fmod(window_s, kDayS) != 0) return 0;
  const double of_day = std::fmod(history.start_s + history.zone_s, kDayS);
  return of_day == 0 ? 0 : static_cast<std::size_t>(std::ceil((kDayS - of_day) / history.step_s));
}

constexpr double kHour = 3600;
constexpr double kFewest = 2;        // whole days, or weeks
constexpr std::int64_t kMonday = 3;  // 1970-01-01 was a Thursday

std::vector<double> shares(const History& history, const HistorySeries& series, std::size_t cells,
                           double cell_s, std::int64_t shift) {
  std::vector<double> sum(cells), count(cells);
  double all = 0;
  for (std::size_t i = 0; i < series.values.size(); ++i) {
    const double time_s =
        history.start_s + history.zone_s + history.step_s * static_cast<double>(i);
    const auto cell = static_cast<std::int64_t>(std::floor(time_s / cell_s)) + shift;
    const auto at = static_cast<std::size_t>(cell) % cells;
    sum[at] += series.values[i];
    count[at] += 1;
    all += series.values[i];
  }
  const double mean = all / static_cast<double>(series.values.size());
  if (!(mean > 0) || contains(count, 0.0)) return {};
  for (std::size_t i = 0; i < cells; ++i) sum[i] /= count[i] * mean;
  return sum;
}

}  // namespace

TrafficShape shape_of(const Workload& trace, Duration step) {
  if (trace.size() < kFewestRequests) return {};
  return {cv_of(trace.input_tokens), cv_of(trace.output_tokens),
          arrival_cv_of(trace.arrival, step)};
}

Result<History> read_trace_history(const std::string& path, TraceFormat format, double step_s) {
  TRY(trace, read_trace(path, format));
  WorkloadSource source(trace);
  const Duration step = duration_from_us(step_s * 1e6);
  auto history = history_of(source, step);
  if (!history) {
    const Diagnostic& what = history.error().diagnostics.front();
    return fail(history.error().kind, path + ": " + what.message, what.hint + ": \"step_s\"");
  }
  history->shape = shape_of(trace, step);
  return history;
}

const HistorySeries* History::find(std::string_view name, std::string_view route) const {
  return find_where(series,
                    [&](const HistorySeries& s) { return s.name == name && s.route == route; });
}

Result<History> history_of(RequestSource& source, Duration step) {
  if (step.ns <= 0) return fail(ErrorKind::usage, "the step of a history must be positive");
  History history;
  history.step_s = to_seconds(step);
  history.series = {
      {"requests_per_s", {}, {}}, {"prompt_tokens_per_s", {}, {}}, {"output_tokens_per_s", {}, {}}};
  Time last;
  for (Request request; source.next(&request);) {
    last = request.arrival;
    const auto cell = static_cast<std::size_t>(std::max<std::int64_t>(0, last.ns / step.ns));
    if (static_cast<double>(cell) >= kMostHistorySteps) {
      return fail(ErrorKind::usage, "the traffic lasts more than a million steps",
                  "take a longer step");
    }
    const double amounts[] = {1, static_cast<double>(request.input_tokens),
                              static_cast<double>(request.output_tokens)};
    for (std::size_t i = 0; i < history.series.size(); ++i) {
      std::vector<double>& values = history.series[i].values;
      if (values.size() <= cell) values.resize(cell + 1);
      values[cell] += amounts[i] / history.step_s;
    }
  }
  const auto whole = static_cast<std::size_t>(std::max<std::int64_t>(0, last.ns / step.ns));
  if (whole == 0) return no_whole_step("step");
  for (HistorySeries& series : history.series) series.values.resize(whole);
  return history;
}

Result<History> peaks_of(const History& history, double window_s, double p) {
  const double steps = std::round(window_s / history.step_s);
  if (!(steps >= 1 && std::fabs(steps * history.step_s - window_s) <= 1e-6 * window_s)) {
    return fail(ErrorKind::usage, "a window of " + shortest(window_s) +
                                      " s is no multiple of the step of " +
                                      shortest(history.step_s) + " s");
  }
  const std::size_t before = steps_before_midnight(history, window_s);
  if (steps > static_cast<double>(history.size()) - static_cast<double>(before)) {
    return no_whole_step("window");
  }
  const auto width = static_cast<std::ptrdiff_t>(steps);
  History peaks = history;
  peaks.start_s += history.step_s * static_cast<double>(before);
  peaks.step_s = window_s;
  for (HistorySeries& series : peaks.series) {
    const std::vector<double> values = std::move(series.values);
    series.values.clear();
    const auto first = values.begin() + static_cast<std::ptrdiff_t>(before);
    for (auto at = first; values.end() - at >= width; at += width) {
      series.values.push_back(Percentiles<double>({at, at + width}).at(p));
    }
  }
  return peaks;
}

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
