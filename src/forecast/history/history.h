// The demand of the past: one or more series of values on a regular grid of time, from a file or
// from the arrivals of a trace. Read by the forecast; a series that is not whole and plausible is
// refused, because no method notices a hole, a summer-time jump or a value in the wrong unit.
//
// The file is CSV (plain, gzip or zstd). Column `time`: ISO 8601 with a zone, or seconds (since
// 1970, or from any start). Column `route`, if there: each route has rows of its own. Every other
// column is a series of numbers >= 0, averages or counts per row as the writer likes:
//
//     time,route,requests,prompt_tokens
//     2026-11-22T04:00Z,chat,1200,960000
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "base/units.h"
#include "workload/line_reader.h"
#include "workload/request.h"
#include "workload/trace_formats.h"
#include "workload/workload.h"

namespace plimsoll {

/// How unevenly the requests of a recorded trace come, and how widely their lengths vary (also by
/// the buckets of an engine): what routes that continue it do not have to say themselves.
/// Coefficients of variation, standard deviation over mean; none where the history does not tell.
struct TrafficShape {
  std::optional<double> prompt_cv;  ///< of whole prompts
  std::optional<double> output_cv;
  /// The burstiness of the gaps between arrivals: the root of the variance over mean of their
  /// counts in tenths of a step, around the mean of that step, so that neither the hour of the day
  /// counts as a burst nor do times that a recorder has rounded. For a renewal process both are the
  /// same in the long run (Cox and Lewis 1966).
  std::optional<double> arrival_cv;
};

TrafficShape shape_of(const Workload& trace, Duration step);

inline constexpr double kDayS = 86'400;

inline constexpr double kMostHistorySteps = 1e6;

struct HistorySeries {
  std::string name;            ///< of the column
  std::string route;           ///< empty where the file has no routes
  std::vector<double> values;  ///< one per step, finite, >= 0
};

/// Value i of every series belongs to the step that begins at start_s + i * step_s.
struct History {
  double start_s = 0;  ///< seconds since 1970 if dated, else since whatever the file counts from
  double step_s = 0;
  bool dated = false;
  std::vector<HistorySeries> series;  ///< of equal lengths; routes and columns as in the file
  TrafficShape shape;                 ///< of the requests
  std::vector<std::string> notes;     ///< what a reader of the forecast must know, a sentence each
  /// East of UTC, of the clock that its days go by. Where that clock was changed, this is what it
  /// shows at the end, and every step before lies where the clock showed it: a day has 24 hours.
  double zone_s = 0;
  bool by_clock = false;  ///< steps begin when such a clock shows it, after a change too
  /// That counted requests at its end, where engines did the counting; 0: not known.
  std::int64_t instances = 0;

  std::size_t size() const { return series.empty() ? 0 : series.front().values.size(); }
  /// Where the step after the last one begins: the present, as far as the history knows.
  double end_s() const { return start_s + step_s * static_cast<double>(size()); }
  /// Null if there is none.
  const HistorySeries* find(std::string_view name, std::string_view route = {}) const;
};

struct HistoryOptions {
  /// `UTC` or a zone of base/time_zone.h: of times without one, and of the clock by which days and
  /// hours repeat themselves. Empty: a time without a zone is refused.
  std::string zone{};
  /// Fill gaps, up to a tenth of the values: on a straight line between neighbours; where they are
  /// longer than two hours, as the weeks before and after were at that time.
  bool fill_gaps = false;
  /// The columns of a CSV file: which is which, as (name here, name there); others are left out.
  /// Empty: columns have the names of demand, and there are no others.
  std::vector<std::pair<std::string, std::string>> columns{};
  std::string route_label{};  ///< of counters of Prometheus: tells routes apart
};

/// A spec error with line and value for the first thing wrong: no step in common, gaps,
/// duplicates, times out of order, mixed or changing zones, values that are not numbers >= 0 or
/// more than a million times the median of their series. Few that are more than a hundred times it
/// are taken as they are, with a note.
/// The file is CSV, or what Prometheus answered (forecast/history/prometheus.h).
Result<History> read_history(const std::string& path, const HistoryOptions& options = {});
Result<History> read_history(LineReader lines, const HistoryOptions& options = {});

/// The series requests_per_s, prompt_tokens_per_s and output_tokens_per_s of the traffic that a
/// source without follow-ups presents, by time of arrival from its start on. What does not fill
/// the last step is left out. A usage error when there is not one whole step, or over a million.
Result<History> history_of(RequestSource& source, Duration step);

/// One value per window: percentile p (0 to 100) of the values of its steps. The busiest
/// hour of each day is `peaks_of(history, 86'400, 100)`. Windows of days begin at midnight where
/// the history has dates. What does not fill a window, at either end, is left out. A usage error if
/// the window is not a multiple of the step, or there is no whole one.
Result<History> peaks_of(const History& history, double window_s, double p);

/// The demand of a recorded trace: requests and tokens counted by windows of time, and their shape.
/// Errors are those of the trace, or name the file where it has no whole window or too many.
Result<History> read_trace_history(const std::string& path, TraceFormat format, double step_s);

// The shape of a history: how much, how uneven, and at which times.

struct DemandProfile {
  double mean = 0;
  double p50 = 0;
  double p95 = 0;
  double cv = 0;  ///< standard deviation over mean of the steps
  /// Variance over mean of the requests per step: 1 for Poisson arrivals, more for bursts, trends
  /// and patterns (Cox and Lewis 1966). Of requests by steps of an hour at most.
  std::optional<double> dispersion;
  /// Hours of the day and days of the week from Monday, by the clock of the history: mean there
  /// over the mean. Empty where there are no dates, no steps that short, or not two whole days or
  /// weeks.
  std::vector<double> by_hour;
  std::vector<double> by_weekday;

  std::optional<int> peak_hour() const;  ///< 0 to 23
};

DemandProfile profile_of(const History& history, const HistorySeries& series);

}  // namespace plimsoll
