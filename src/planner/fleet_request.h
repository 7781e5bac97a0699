// A request for several models on one fleet: a list `models` in the file of a plan, each with its
// workload and limits; what stands beside the list holds for all of them.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "planner/plan_request.h"
#include "planner/shared_fleet.h"

namespace plimsoll {

struct FleetRequest {
  PlanRequest common;               ///< limits on dollars and GPUs are those of the whole fleet
  std::vector<PlanRequest> models;  ///< in the order of their priority, each with a target rate
  std::vector<std::string> names;   ///< of the models
};

/// None if the text has no key `models`, or is not in order: then it is one for
/// parse_plan_request().
Result<std::optional<FleetRequest>> parse_fleet_request(const std::string& text,
                                                        const std::string& file);

}  // namespace plimsoll
