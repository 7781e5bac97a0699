// The candidates of a plan as JSON: the best in full, others as a row, or as a point of the
// frontier.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "report/plan/plan.h"

namespace plimsoll {

nlohmann::ordered_json plan_best_json(const PlanReport& report, const CandidateResult& result);
nlohmann::ordered_json plan_candidate_json(const PlanReport& report, const CandidateResult& result);
nlohmann::ordered_json plan_point_json(const PlanRequest& request, const CandidateResult& result);

}  // namespace plimsoll
