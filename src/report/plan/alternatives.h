// The deployments that stand beside the pick of a plan: what is worth its price, what is tied with
// it, the best whose kernels were measured, and of each GPU type the best. Each is either what was
// tested, or a bound that was not: the least that a candidate could have taken when it could not
// beat the pick any more. Used by report/plan/html.cc.
#pragma once

#include <string>
#include <vector>

#include "report/plan/plan.h"

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

/// The pick first, the rest by cost.
std::vector<Alternative> alternatives_of(const PlanReport& report);

/// Why it is not the pick, or that it is; of a bound, that it was not tested.
std::string why_not_text(const PlanReport& report, const Alternative& alternative);

/// Of what was tested: were fewer replicas, or a higher rate, left untested? Empty: no.
std::string untested_text(const PlanReport& report, const CandidateResult& result);

}  // namespace plimsoll
