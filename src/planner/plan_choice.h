// The best of the candidates that keep all limits. Called by planner/plan_search.h.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "planner/open_candidate.h"

namespace plimsoll {

/// By the objective alone: its index in the plan; none: nothing holds.
std::optional<std::size_t> best_of(const PlanRequest& request,
                                   const std::vector<OpenCandidate>& open);

/// Makes it the best of the plan: with what ties with it, the best that is known, the reasons of
/// the others, and the frontier. Moves its tests into the plan.
void choose(const PlanRequest& request, std::size_t chosen, std::vector<OpenCandidate>* open,
            Plan* plan);

}  // namespace plimsoll
