// The advice where no candidate keeps all limits: what rules them out, and how far the nearest is
// from it.
#pragma once

#include <string>
#include <vector>

#include "report/plan/plan.h"

namespace plimsoll {

/// A sentence for each thing that rules candidates out: prices first, then what no number of
/// instances mends, limits, rates, budgets, memory, layouts.
std::vector<std::string> refusal_advice(const PlanReport& report);

}  // namespace plimsoll
