// The best of the candidates that keep all limits.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "planner/candidate_opening.h"
#include "planner/plan.h"
#include "planner/plan_tests.h"

namespace plimsoll {

/// Two costs by an objective are the same but for the order in which prices were added up.
bool costs_the_same(double a, double b);

/// Returns the index in the plan of the best by the objective alone; none: nothing holds.
std::optional<std::size_t> best_of(const PlanRequest& request,
                                   const std::vector<OpenCandidate>& open);

/// The best among those that cost as much as best_of() and hold the usual headroom; best_of() where
/// none of them does, or no rate is asked for: of two at one price, the faster may have no room.
Result<std::optional<std::size_t>> best_with_headroom(const PlanRequest& request,
                                                      const std::vector<OpenCandidate>& open,
                                                      PlanTests* tests);

/// Makes it the best of the plan: with what ties with it, the best that is known, the reasons of
/// the others, and the frontier. Moves its tests into the plan.
void choose(const PlanRequest& request, std::size_t chosen, std::vector<OpenCandidate>* open,
            Plan* plan);

// The Pareto frontier of a plan: what is worth its price.

/// The latency that deployments for one rate are compared by: that of the first limit; without
/// limits the p99 of TTFT. Of one that was shown to hold; without a target rate, at the rate at
/// which all were compared.
double compared_latency_ms(const CandidateResult& result);

/// Returns those of the feasible ones, by cost, that each serve a higher rate than all cheaper
/// ones; with a target rate that all of them serve, each is faster instead.
std::vector<std::size_t> frontier_of(const std::vector<CandidateResult>& candidates,
                                     std::vector<std::size_t> feasible, bool by_latency);

/// For the lowest latency: latencies at the most that each serves say nothing, so all of them at
/// what has to be served, or at the least of what they serve.
Result<void> compare_at_one_rate(const PlanRequest& request, const std::vector<OpenCandidate>& open,
                                 PlanTests* tests, Plan* plan);

}  // namespace plimsoll
