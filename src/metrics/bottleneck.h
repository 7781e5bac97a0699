// What holds the system back, where the time of its requests goes, and which lever would help.
// Called by summarize().
#pragma once

#include <cstdint>
#include <string>

#include "engine/run_record.h"

namespace plimsoll {

struct Deployment;
struct Summary;

/// What holds the system back.
struct Limit {
  std::string limit;  ///< "none", "admission", "routing", "gateway", "deadlines", "queue", "memory"
                      ///< or "compute"
  std::string resource;            ///< in the reader's words: "nothing", "decode bandwidth", ...
  std::string reason;              ///< one sentence with the figures behind it
  std::string lever;               ///< one sentence: what would help, with the figures to try
  bool by_deadline_alone = false;  ///< time ran out although the instances have room
};

/// What the time of completed requests was spent on, as fractions of their summed E2E latency
/// (metrics/breakdown.h), and what holds the system back.
struct Bottleneck : Limit {
  double gateway_share = 0;
  double queue_share = 0;
  double prefill_share = 0;
  double prefill_stall_share = 0;
  double decode_share = 0;
  double preemption_share = 0;
};

/// `summary` has its figures and its verdict already; `deployment` says which flags could help.
Bottleneck find_bottleneck(const RunRecord& record, const Summary& summary,
                           const Deployment& deployment);

/// Nothing can be advised from this run but a longer one: its verdict awaits more requests.
bool needs_more_requests(const Summary& summary);

/// The run was steady, and nearly all requests (99 %) were served within their limits.
bool holds_the_load(const Summary& summary);

/// How many instances may hold what arrives, at least one more than there are: an estimate from
/// what left while requests arrived.
std::int64_t instances_that_may_hold(const Summary& summary);

}  // namespace plimsoll
