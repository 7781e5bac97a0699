// Mean and percentiles of latencies, over all requests or over groups of them.
//
// The definitions of other tools for the same words. The names of metrics agree across the field,
// their definitions do not: a table says how each tool takes those that differ
// (docs/reference/metrics.md).
// `--metric-definitions` chooses a row of it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/itl_histogram.h"
#include "engine/run_record.h"

namespace plimsoll {

/// The things that ITL is a distribution of.
enum class ItlOver {
  gaps,               ///< all gaps between tokens, pooled
  requests,           ///< the mean gap of each request
  requests_by_tokens  ///< the same, each counting as often as it has gaps
};

struct MetricDefinitions {
  std::string name;
  std::string help;
  ItlOver itl = ItlOver::gaps;
  /// TPOT is the whole answer by its tokens, the first one and the wait for it included; else the
  /// mean gap between tokens.
  bool tpot_counts_first_token = false;
  /// TTFT of completed requests; else of all that got a first token.
  bool ttft_of_completed = false;
  /// Rates are per second from the first arrival to the last answer; else over the whole run.
  bool rates_from_first_arrival = false;
};

/// The first row is the default: what vLLM's own server metrics say.
const std::vector<MetricDefinitions>& metric_definitions();

/// The row of that name, which must be there.
const MetricDefinitions& metric_definitions(std::string_view name);

/// Mean and percentiles of a latency in milliseconds; all zero when there is nothing to measure.
struct LatencySummary {
  double mean_ms = 0;
  double p50_ms = 0;
  double p90_ms = 0;
  double p95_ms = 0;
  double p99_ms = 0;
};

inline double ratio_or_zero(double a, double b) { return b > 0 ? a / b : 0; }

inline double ratio_or_zero(std::int64_t a, std::int64_t b) {
  return ratio_or_zero(static_cast<double>(a), static_cast<double>(b));
}

inline constexpr std::int64_t kNoValue = -1;
inline constexpr double kUsPerMs = 1e3;
inline constexpr double kNsPerMs = 1e6;

/// In whole microseconds, as the reference takes latencies; kNoValue if it was not measured.
inline std::int64_t whole_us_of(Duration latency) {
  return latency == kNoDuration ? kNoValue : latency.ns / 1000;
}

/// The mean gap between the tokens of a completed request in nanoseconds; kNoValue without gaps.
inline std::int64_t mean_gap_ns(const RequestTable& t, std::size_t row) {
  if (!is_completed(t.outcome[row]) || t.itl_count[row] <= 0) return kNoValue;
  return t.itl_sum[row].ns / t.itl_count[row];
}

/// Summarises values of which so many make a millisecond.
LatencySummary latency_of(std::vector<std::int64_t> values, double per_ms);
LatencySummary latency_of(const ItlHistogram& gaps);

/// A value in nanoseconds that counts as often as its weight says.
struct WeightedNs {
  std::int64_t ns = 0;
  std::int64_t weight = 0;
};
LatencySummary latency_of(std::vector<WeightedNs> values);

/// The rows of a table by group, in the order of the table within each.
class GroupedRows {
 public:
  /// The group of each row; negative = in none. Rows before `first_row` are in none either.
  GroupedRows(std::span<const std::int32_t> group, std::size_t groups, std::size_t first_row);

  std::size_t groups() const { return begin_.size() - 1; }
  std::span<const std::uint32_t> of(std::size_t group) const {
    return std::span(rows_).subspan(begin_[group], begin_[group + 1] - begin_[group]);
  }

 private:
  std::vector<std::size_t> begin_;
  std::vector<std::uint32_t> rows_;
};

/// The values of those rows that have one (are not negative).
template <class ValueOf>
std::vector<std::int64_t> values_of(std::span<const std::uint32_t> rows, ValueOf value_of) {
  std::vector<std::int64_t> values(rows.size());
  std::size_t count = 0;
  for (const std::uint32_t row : rows) {
    values[count] = value_of(row);
    count += values[count] >= 0 ? 1 : 0;
  }
  values.resize(count);
  return values;
}

}  // namespace plimsoll
