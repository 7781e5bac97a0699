// Columns of a history that are no demand of a resource: retries, prompts found in the cache, and
// latencies. Left out where demand is read (forecast/runway/sheet.h), set against the forecast by
// forecast/runway/actuals.h.
#pragma once

#include <array>
#include <string_view>

#include "metrics/summary.h"

namespace plimsoll {

struct LatencyColumn {
  std::string_view name;
  std::string_view title;  ///< for people
  LatencySummary GroupSummary::*latency;
  double LatencySummary::*statistic;
};

inline constexpr std::array<LatencyColumn, 6> kLatencyColumns{{
    {"ttft_p95_ms", "TTFT p95", &GroupSummary::ttft, &LatencySummary::p95_ms},
    {"ttft_p99_ms", "TTFT p99", &GroupSummary::ttft, &LatencySummary::p99_ms},
    {"tpot_p95_ms", "TPOT p95", &GroupSummary::tpot, &LatencySummary::p95_ms},
    {"tpot_p99_ms", "TPOT p99", &GroupSummary::tpot, &LatencySummary::p99_ms},
    {"e2e_p95_ms", "E2E p95", &GroupSummary::e2e, &LatencySummary::p95_ms},
    {"e2e_p99_ms", "E2E p99", &GroupSummary::e2e, &LatencySummary::p99_ms},
}};

inline constexpr std::string_view kRetriesColumn = "retries";
inline constexpr std::string_view kCachedColumn = "cached_prompt_tokens";  ///< of prompt_tokens

}  // namespace plimsoll
