// Figures of an observation that a simulation does not have: how the generator did, what failed,
// how far the lengths that were asked for were had. Latencies are in metrics/summary.h.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "metrics/latency.h"
#include "net/observation.h"

namespace plimsoll {

struct FailureCount {
  std::string reason;
  std::int64_t requests = 0;
  std::string example;  ///< the detail of the first one that has any
};

/// Means over the requests that were answered.
struct LengthCheck {
  double asked = 0;
  double had = 0;  ///< by the server's count, else by chunks; of prompts 0 if it does not count
};

struct ObservationFigures {
  std::int64_t sent = 0;
  std::int64_t answered = 0;
  std::int64_t given_up = 0;  ///< under way when Ctrl-C came
  std::int64_t retries = 0;
  std::vector<FailureCount> failures;  ///< most frequent first
  LatencySummary lateness;             ///< from the planned arrival to the sending
  double latest_ms = 0;
  bool generator_was_late =
      false;              ///< by 1 ms and 5 % of the median TTFT (or E2E) at p99, or worse
  bool streamed = false;  ///< any answer has a first token
  LengthCheck prompt;
  LengthCheck output;
  double tokens_per_chunk = 0;  ///< by the server's count; 0 = it does not say
};

ObservationFigures figures_of(const Observation& observation);

}  // namespace plimsoll
