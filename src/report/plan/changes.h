// What differs between two reports of plans, or of plans of several models. Called by
// report/plan/diff.h.
#pragma once

#include <string>
#include <vector>

#include "base/json.h"

namespace plimsoll {

struct PlanChange {
  std::string model;  ///< of several: its name; empty: of the plan as a whole
  std::string section;
  std::string key;
  Json old_value;  ///< null: it is not in that report
  Json new_value;
};

bool is_fleet_report(const Json& report);

/// Inputs first. Both are reports of the same kind.
std::vector<PlanChange> plan_changes(const Json& old_report, const Json& new_report);

}  // namespace plimsoll
