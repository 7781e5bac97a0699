// The changes between two plans, from their JSON reports: inputs, the pick, its figures, its cost,
// its margins, what binds it.
#pragma once

#include <string>
#include <vector>

#include "base/json.h"
#include "base/result.h"
#include "report/form/table.h"

namespace plimsoll {

/// `file` is the name in errors: a text that is no report of a plan, or with `of_fleet` none of a
/// plan of several models.
Result<void> check_plan_json(const std::string& text, const std::string& file,
                             bool of_fleet = false);

/// Both texts are reports. Lines for people; says so where nothing changed.
std::string plan_diff_text(const std::string& old_json, const std::string& old_file,
                           const std::string& new_json, const Style& style);
/// The new report with `diff` in it.
std::string plan_diff_json(const std::string& old_json, const std::string& old_file,
                           const std::string& new_json);

// The differences between two reports of plans, or of plans of several models.

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
