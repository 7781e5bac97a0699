// What is said of the deployments that stand beside the pick of a plan.
#pragma once

#include <string>

#include "planner/alternatives.h"
#include "report/plan/plan.h"

namespace plimsoll {

/// Why it is not the pick, or that it is; of a bound, that it was not tested.
std::string why_not_text(const PlanReport& report, const Alternative& alternative);

/// Of what was tested: were fewer replicas, or a higher rate, left untested? Empty: no.
std::string untested_text(const PlanReport& report, const CandidateResult& result);

}  // namespace plimsoll
