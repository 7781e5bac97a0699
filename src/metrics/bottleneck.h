// What holds the system back, where the time of its requests goes, and which lever would help.
// Called by summarize().
#pragma once

#include <cstdint>
#include <string>

#include "engine/run_record.h"

namespace plimsoll {

struct Summary;

/// What the time of completed requests was spent on, as fractions of their summed E2E latency
/// (metrics/breakdown.h), and the resource that holds the system back.
struct Bottleneck {
  double gateway_share = 0;
  double queue_share = 0;
  double prefill_share = 0;
  double prefill_stall_share = 0;
  double decode_share = 0;
  double preemption_share = 0;

  std::string limit;     ///< "none", "admission", "queue", "memory" or "compute"
  std::string resource;  ///< in the reader's words: "nothing", "decode bandwidth", ...
  std::string reason;    ///< one sentence with the figures behind it
  std::string lever;     ///< one sentence: what would help, with the figures to try
};

/// `summary` has its figures and its verdict already.
Bottleneck find_bottleneck(const RunRecord& record, const Summary& summary);

/// How many instances may hold what arrives, at least one more than there are: an estimate from
/// what left while requests arrived.
std::int64_t instances_that_may_hold(const Summary& summary);

}  // namespace plimsoll
