// The Pareto frontier of a plan: what is worth its price.
#pragma once

#include <cstddef>
#include <vector>

#include "planner/plan.h"

namespace plimsoll {

/// The latency that deployments for one rate are compared by: that of the first limit; without
/// limits the p99 of TTFT. Of one that was shown to hold; without a target rate, at the rate at
/// which all were compared.
double compared_latency_ms(const CandidateResult& result);

/// Of the feasible ones, by cost: each serves a higher rate than all cheaper ones; with a target
/// rate that all of them serve, each is faster instead.
std::vector<std::size_t> frontier_of(const std::vector<CandidateResult>& candidates,
                                     std::vector<std::size_t> feasible, bool by_latency);

}  // namespace plimsoll
