// How sure a plan is of what it says.
#pragma once

#include <string>

#include "report/plan/plan.h"

namespace plimsoll {

/// What the best serves, given the errors of tests and of the step-time model: "20.9 to 25.8
/// req/s"; empty where nobody asked.
std::string served_range_text(const PlanReport& report);

/// Errors of steps, rates and tests in a line; empty for a model whose error is not known.
std::string trust_text(const PlanReport& report);

}  // namespace plimsoll
