// What to do after a plan: what has room for the model's error and for headroom, or what to measure
// first.
#pragma once

#include <string>

#include "report/plan/plan.h"

namespace plimsoll {

/// The request with what other models leave of the limits that they share.
PlanRequest left_for(const PlanReport& r);

/// "the budget of $5.00/h and the limit of 8 GPUs": those that were given.
std::string budget_words(const PlanReport& r);

/// "4 x H100 (4 instances x TP1) at $12.80/h": the one of known speed, with as many instances as
/// hold the rate at the slow end of its error.
std::string surer_text(const PlanReport& r, const CandidateResult& surer);

/// " for $3.20/h"; empty without a price.
std::string for_price(const CandidateResult& c);

/// With a little more load than is held, or with more instances.
bool leaves_idle(const PlanReport& r, const CandidateResult& best);

/// A clause without a full stop; empty: there is nothing to do. Of a range of rates, with steps as
/// slow as may be, `slow_rps` are served.
std::string action_of(const PlanReport& r, const CandidateResult& best, double slow_rps);

}  // namespace plimsoll
