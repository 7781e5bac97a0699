// What became of each candidate once the rounds of a plan are over, with the reason. Called by
// planner/plan.cc.
#pragma once

#include <vector>

#include "planner/open_candidate.h"

namespace plimsoll {

/// Fills in figures, fates and reasons of the results, but for those that are ranked afterwards.
void conclude(const PlanRequest& request, const std::vector<OpenCandidate>& open);

/// Was shown to serve as much as is asked for, whatever became of it.
bool is_shown(const PlanRequest& request, const CandidateResult& result);

}  // namespace plimsoll
