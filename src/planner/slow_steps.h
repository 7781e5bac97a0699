// How many replicas of a candidate hold the target rate even if steps are as long as the error of
// the step-time model allows. Called by planner/plan_choice.cc.
#pragma once

#include <cstdint>

#include "planner/candidate_opening.h"
#include "planner/plan_journal.h"

namespace plimsoll {

/// Replicas of a candidate, spare ones included.
std::int64_t paid_replicas(const OpenCandidate& open);

/// Returns the fewest from `least` on, spare ones included, that do; 0: none that were tested, or
/// nobody asked. Goes up by a twentieth, then back into the gap below the first that do.
Result<std::int64_t> replicas_with_slow_steps(const PlanRequest& request, const OpenCandidate& open,
                                              std::int64_t least, PlanTests* tests);

}  // namespace plimsoll
