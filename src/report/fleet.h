// A plan of several models on one fleet, for people and for programs.
#pragma once

#include <string>
#include <vector>

#include "planner/shared_fleet.h"
#include "report/plan.h"

namespace plimsoll {

struct FleetReport {
  std::vector<std::string> names;
  std::vector<PlanReport> models;
  FleetCaps caps;
  FleetChoice choice;

  /// Of model `i`; null: it is short.
  const CandidateResult* chosen(std::size_t i) const {
    const auto& option = choice.chosen[i];
    return option ? &models[i].plan.candidates[option->candidate] : nullptr;
  }
};

/// Why a model is not served, and what it would take.
std::string shortage_text(const FleetReport& report, std::size_t model);

std::string fleet_verdict(const FleetReport& report);
std::string fleet_text(const FleetReport& report, const Style& style);
std::string fleet_json(const FleetReport& report);

}  // namespace plimsoll
