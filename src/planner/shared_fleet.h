// Several models on one fleet: of each model's deployments that hold its load, which one, so that
// all of them fit under one limit of GPUs or dollars for the least? Exact: sums of options, of
// which only those are kept that no other sum beats in both.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "planner/plan.h"
#include "planner/plan_request.h"

namespace plimsoll {

struct FleetOption {
  std::size_t candidate = 0;  ///< of the model's plan
  std::int64_t gpus = 0;
  double usd_per_hour = 0;
};

struct FleetCaps {
  std::optional<std::int64_t> gpus;
  std::optional<double> usd_per_hour;
};

struct FleetChoice {
  /// The choice for each model, in the order of their priority; none: the model is short.
  std::vector<std::optional<FleetOption>> chosen;
  std::int64_t gpus = 0;
  double usd_per_hour = 0;

  bool is_complete() const;
};

/// The deployments that a plan found to hold, spare replicas included.
std::vector<FleetOption> fleet_options(const Plan& plan);

/// The least dollars, then GPUs; or GPUs first. If not all models fit, the earlier ones come first:
/// each is served unless those before it leave too little for it.
FleetChoice choose_fleet(const std::vector<std::vector<FleetOption>>& models, const FleetCaps& caps,
                         bool gpus_first);

// A request for several models on one fleet: a list `models` in the file of a plan, each with its
// workload and limits; what stands beside the list holds for all of them.

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
