// Flags of the engine that were given far from their defaults: what to leave out first where a load
// is too much.
#pragma once

#include <optional>
#include <vector>

#include "base/because.h"
#include "base/result.h"
#include "metrics/bottleneck.h"
#include "planner/capacity_search.h"
#include "setup/run_spec.h"

namespace plimsoll {

struct GivenFlag {
  Remedy remedy;
  double usual = 0;  ///< its default
  RunSpec without;   ///< what was asked, but for the flag
};

/// --batching-rule, --max-num-seqs, --max-num-batched-tokens and --gpu-memory-utilization; the two
/// numbers where they are half or twice their default, the share where it is 0.1 below it.
std::vector<GivenFlag> flags_far_from_defaults(const RunSpec& run);

/// CapacityAnswer::without_flag of an answer that `search` found for `system`, which `run` asked
/// for.
Result<std::optional<Because<Remedy>>> capacity_without_flag(const RunSpec& run,
                                                             const ProbedSystem& system,
                                                             const CapacityAnswer& answer,
                                                             CapacitySearchOptions search,
                                                             CapacityWatch watch);

}  // namespace plimsoll
