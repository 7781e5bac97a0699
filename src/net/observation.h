// The ends of the requests that were sent to a real server: filled by the load generator, made
// into a RunRecord for metrics/, written as a trace by the verb.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/units.h"
#include "engine/itl_histogram.h"
#include "engine/run_record.h"
#include "metrics/latency.h"
#include "net/http_transfers.h"
#include "workload/request.h"

namespace plimsoll {

enum class AnswerStatus : std::uint8_t { incomplete, ok, timeout, error };

/// Times count from the start of the load.
struct ObservedAnswer {
  AnswerStatus status = AnswerStatus::incomplete;
  bool refused = false;       ///< of an error: no connection, or a status as 429 and 503
  Time sent;                  ///< at last, where it was sent again
  Time first_token = kNever;  ///< of a stream
  Time last_token = kNever;
  std::int64_t chunks = 0;         ///< that brought tokens
  std::int64_t prompt_tokens = 0;  ///< as the server counts them; 0 = it did not say, as below
  std::int64_t output_tokens = 0;
  std::int32_t retries = 0;
  HttpProblem problem;  ///< of a failure
  std::string finish_reason;

  /// Tokens of the answer, by chunks where the server does not say.
  std::int64_t tokens() const { return output_tokens > 0 ? output_tokens : chunks; }
};

struct Observation {
  std::vector<Request> requests;  ///< as they were asked for, in the order they were sent
  std::vector<ObservedAnswer> answers;
  ItlHistogram gaps;  ///< between chunks with tokens, pooled
  Time end;
  bool interrupted = false;
  Duration longest_turn;            ///< of the generator's loop: times may be late by so much
  double cpu_s = 0;                 ///< of the generator
  std::int64_t held_back = 0;       ///< requests that were due while too many were under way
  std::int64_t ended_sessions = 0;  ///< that a failure ended
};

/// One row per request, all on one instance. Latencies count from the arrival that was planned, so
/// that a late generator cannot make a server look better. A refused request was turned away, any
/// other failure is given up.
RunRecord run_record_of(const Observation& observation);

// Figures of an observation that a simulation does not have: how the generator did, what failed,
// how far the lengths that were asked for were had. Latencies are in metrics/summary.h.

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
