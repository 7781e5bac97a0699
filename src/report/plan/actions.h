// What to do after a plan: what has room for the model's error and for headroom, or what to measure
// first.
#pragma once

#include <string>

#include "report/plan/plan.h"

namespace plimsoll {

/// The request with what other models leave of the limits that they share.
PlanRequest left_for(const PlanReport& r);

/// " for $3.20/h"; empty without a price.
std::string for_price(const CandidateResult& c);

/// With a little more load than is held, or with more instances.
bool leaves_idle(const PlanReport& r, const CandidateResult& best);

/// A clause without a full stop; empty: there is nothing to do. Of a range of rates, with steps as
/// slow as may be, `slow_rps` are served.
std::string action_of(const PlanReport& r, const CandidateResult& best, double slow_rps);

}  // namespace plimsoll
