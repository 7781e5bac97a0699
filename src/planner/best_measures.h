// What is measured of a plan's best beyond what the search asked: how much more it takes, what the
// error of the step-time model means for it, and what to deploy for both.
#pragma once

#include <vector>

#include "planner/candidate_opening.h"
#include "planner/plan.h"
#include "planner/plan_tests.h"

namespace plimsoll {

/// Headroom where a rate is to be held, and the range of the model. Nothing without a best.
Result<void> measure_best(const PlanRequest& request, const std::vector<OpenCandidate>& open,
                          PlanTests* tests, Plan* plan);

}  // namespace plimsoll
