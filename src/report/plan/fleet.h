// A plan of several models on one fleet, for people and for programs.
#pragma once

#include <string>
#include <vector>

#include "planner/shared_fleet.h"
#include "report/plan/plan.h"

namespace plimsoll {

struct FleetReport {
  std::vector<std::string> names;
  std::vector<PlanReport> models;  ///< the best of each is what was chosen for it; none: short
  FleetCaps caps;
  FleetChoice choice;
  std::string command;    ///< that repeats the plan
  std::string timestamp;  ///< empty: left out
  double elapsed_s = 0;   ///< shown with the timestamp alone

  bool is_interrupted() const;
  bool is_whole() const;  ///< each model is served
};

/// Why a model is not served, and what it would take.
std::string shortage_text(const FleetReport& report, std::size_t model);
/// The limits that the fleet may not exceed, and what it leaves of that; empty without limits.
std::string fleet_limit_text(const FleetReport& report);

/// "4 GPUs and $20/h"; empty without limits.
std::string caps_text(const FleetCaps& caps);
std::string fleet_verdict(const FleetReport& report);
/// The weakest of the decisions about the models; its answer is the verdict.
Json fleet_decision_json(const FleetReport& report);
std::string fleet_text(const FleetReport& report, const Style& style);
/// As plan_summary(), a part for each model.
std::string fleet_summary(const FleetReport& report);
std::string fleet_json(const FleetReport& report);
/// A page that stands alone (report/form/page.h).
std::string fleet_html(const FleetReport& report);

}  // namespace plimsoll
