// Adds to the request of a plan what flags ask, and what stands in where neither says anything.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "planner/plan_request.h"
#include "setup/question_specs.h"
#include "setup/run_spec.h"

namespace plimsoll {

struct PlanAsked {
  const RunSpec& run;
  const PlanSpec& plan;
  const LimitsSpec& limits;
  const PriceSpec& prices;
  const MetricsSpec& metrics;
};

/// It comes before what the request says already. What stands in is added to `assumed`.
Result<void> complete_request(const PlanAsked& asked, PlanRequest* request,
                              std::vector<std::string>* assumed);

}  // namespace plimsoll
