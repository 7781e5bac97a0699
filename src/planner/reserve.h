// How many instances have room for the error of the step-time model, and for headroom: of a plan's
// best, and of what costs less than the best once it has as much.
#pragma once

#include <vector>

#include "planner/candidate_opening.h"
#include "planner/plan.h"
#include "planner/plan_tests.h"

namespace plimsoll {

/// How many are enough whatever the model's error does: of the best, where it is short then, of
/// what is recommended in the place of a guess, and of what then costs less than either.
Result<void> size_for_slow_steps(const PlanRequest& request, const std::vector<OpenCandidate>& open,
                                 PlanTests* tests, Plan* plan);

/// A split or a mix may be the cheapest for the rate itself and dearer than what is neither once it
/// has room for the model's error, or headroom; and weights made by the server no cheaper than
/// those that are stored.
Result<void> size_plain(const PlanRequest& request, const std::vector<OpenCandidate>& open,
                        PlanTests* tests, Plan* plan);

}  // namespace plimsoll
