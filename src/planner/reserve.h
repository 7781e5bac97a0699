// How many replicas of a candidate hold more than the target rate at the steps predicted: the rate
// even if steps are as long as the error of the step-time model allows, or with headroom.
#pragma once

#include <cstdint>
#include <vector>

#include "planner/candidate_opening.h"
#include "planner/plan_journal.h"

namespace plimsoll {

/// What has to be held, with all steps longer by a factor.
struct ReserveLoad {
  double rate_rps = 0;
  double step_factor = 1;
};

/// The target rate at the slow end of the model's error.
ReserveLoad slow_steps_of(const PlanRequest& request, const ModelError& error);

/// Replicas of a candidate, spare ones included.
std::int64_t paid_replicas(const OpenCandidate& open);

/// Returns the fewest from `least` on, spare ones included, that hold each of the loads; 0: none
/// that were tested. Goes up by a twentieth, then back into the gap below the first that do.
Result<std::int64_t> replicas_that_hold(const std::vector<ReserveLoad>& loads,
                                        const OpenCandidate& open, std::int64_t least,
                                        PlanTests* tests);

}  // namespace plimsoll
