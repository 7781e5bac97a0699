// What users of multi-turn sessions see. Called by summarize().
#pragma once

#include <cstddef>
#include <cstdint>

#include "engine/run_record.h"
#include "metrics/definitions.h"
#include "metrics/latency.h"

namespace plimsoll {

struct SessionFigures {
  std::int64_t sessions = 0;
  std::int64_t rounds = 0;  ///< requests that belong to a session
  std::int64_t cold_rounds = 0;
  std::int64_t warm_rounds = 0;
  LatencySummary ttft_cold;         ///< of first rounds
  LatencySummary ttft_warm;         ///< of all later ones, which may find their history cached
  std::int64_t timed_sessions = 0;  ///< those with a duration
  /// From the arrival of the first round to the last completion; of sessions of which the first
  /// round arrived and some round completed.
  LatencySummary duration;
};

/// All zero when no request belongs to a session. Latencies are of requests from `first_row` on.
SessionFigures session_figures(const RequestTable& table, const MetricDefinitions& definitions,
                               std::size_t first_row);

}  // namespace plimsoll
