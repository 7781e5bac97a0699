// The Pareto frontier of a plan: what is worth its price.
#pragma once

#include <cstddef>
#include <vector>

#include "planner/plan.h"

namespace plimsoll {

/// Of the feasible ones, by cost: each serves a higher rate than all cheaper ones; with a target
/// rate that all of them serve, each is faster (TTFT p99) instead.
std::vector<std::size_t> frontier_of(const std::vector<CandidateResult>& candidates,
                                     std::vector<std::size_t> feasible, bool by_latency);

}  // namespace plimsoll
