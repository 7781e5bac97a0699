// The deployments that stand beside the pick of a plan: the best whose kernels were measured, of
// each GPU type the best, what is worth its price, and what is tied with the pick. Each is either
// what was tested, or a bound that was not: the least that a candidate could have taken when it
// could not beat the pick any more. Every report chooses by this rule.
#pragma once

#include <cstddef>
#include <vector>

#include "planner/plan.h"

namespace plimsoll {

struct Alternative {
  const CandidateResult* result = nullptr;
  bool is_bound = false;  ///< of result->bound

  const Candidate& candidate() const {
    return is_bound ? result->bound->candidate : result->candidate;
  }
  double usd_per_hour() const {
    return is_bound ? result->bound->usd_per_hour : result->usd_per_hour;
  }
};

struct AlternativesAsked {
  std::size_t most = 24;       ///< the dearest are left out
  std::size_t most_tied = 24;  ///< ties are added to fewer than so many
  bool of_each_gpu = true;
};

/// The pick first, the rest by cost, those without a price last.
std::vector<Alternative> alternatives_of(const PlanRequest& request, const Plan& plan,
                                         const AlternativesAsked& asked = {});

}  // namespace plimsoll
