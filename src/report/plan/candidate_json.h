// The candidates of a plan as JSON: the best in full, others as a row, or as a point of the
// frontier.
#pragma once

#include "base/json.h"
#include "report/plan/plan.h"

namespace plimsoll {

Json plan_best_json(const PlanReport& report, const CandidateResult& result);
Json plan_candidate_json(const PlanReport& report, const CandidateResult& result);
Json plan_point_json(const PlanRequest& request, const CandidateResult& result);

}  // namespace plimsoll
