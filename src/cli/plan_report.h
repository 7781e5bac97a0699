// What a plan's report says beside the plan: what it was asked, what stood in, where steps were
// measured. Called by plan.cc, and for each model by plan_fleet.cc.
#pragma once

#include "base/result.h"
#include "cli/parse.h"
#include "cli/planned.h"
#include "report/plan/plan.h"

namespace plimsoll {

/// Of a report that has its request and its plan; `planned` made the deployments.
Result<void> fill_report(const Command& command, const Planned& planned, PlanReport* report);

}  // namespace plimsoll
