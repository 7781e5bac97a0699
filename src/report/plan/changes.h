// What differs between two reports of plans, or of plans of several models. Called by
// report/plan/diff.h.
#pragma once

#include <string>
#include <vector>

#include <nlohmann/json.hpp>

namespace plimsoll {

struct PlanChange {
  std::string model;  ///< of several: its name; empty: of the plan as a whole
  std::string section;
  std::string key;
  nlohmann::ordered_json old_value;  ///< null: it is not in that report
  nlohmann::ordered_json new_value;
};

bool is_fleet_report(const nlohmann::ordered_json& report);

/// Inputs first. Both are reports of the same kind.
std::vector<PlanChange> plan_changes(const nlohmann::ordered_json& old_report,
                                     const nlohmann::ordered_json& new_report);

}  // namespace plimsoll
