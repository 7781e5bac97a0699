// The best of the candidates that keep all limits. Called by planner/plan.cc.
#pragma once

#include <vector>

#include "planner/open_candidate.h"

namespace plimsoll {

/// By the objective; with it what ties with it, the best that is known, the reasons of the others,
/// and the frontier. Moves the tests of the best into the plan.
void choose_best(const PlanRequest& request, std::vector<OpenCandidate>* open, Plan* plan);

/// A GPU that nobody measured.
bool is_guess(const CandidateResult& result);

}  // namespace plimsoll
