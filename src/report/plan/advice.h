// What would help, chosen by what was found, and what the figures of a plan say by rules of thumb.
// For every report of a plan.
#pragma once

#include <string>
#include <vector>

#include "report/plan/plan.h"

namespace plimsoll {

/// Sentences, the most direct remedy first. If no candidate keeps the limits: which limit keeps
/// them out, and how near the nearest came. Else: what would cost less or serve more.
std::vector<std::string> plan_advice(const PlanReport& report);

/// req/s per $/h, MFU and memory of the best, each beside the usual range; empty if there is none.
std::vector<std::string> plan_readings(const PlanReport& report);

}  // namespace plimsoll
