// What is measured of a plan's candidates beyond what the search asked: latencies that can be
// compared, and of the best how much more it takes and what the error of the step-time model means
// for it. Called by planner/plan_search.h.
#pragma once

#include <vector>

#include "planner/open_candidate.h"
#include "planner/plan_tests.h"

namespace plimsoll {

/// For the lowest latency: latencies at the most that each serves say nothing, so all of them at
/// what has to be served, or at the least of what they serve.
Result<void> compare_at_one_rate(const PlanRequest& request, const std::vector<OpenCandidate>& open,
                                 PlanTests* tests, Plan* plan);

/// Headroom where a rate is to be held, and the range of the model. Nothing without a best.
Result<void> measure_best(const PlanRequest& request, const std::vector<OpenCandidate>& open,
                          PlanTests* tests, Plan* plan);

}  // namespace plimsoll
