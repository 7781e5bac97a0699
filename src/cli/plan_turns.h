// --turning-points: the same plan for other rates and for other lengths of prompts.
#pragma once

#include "base/result.h"
#include "planner/capacity.h"
#include "report/plan/plan.h"
#include "setup/planned.h"

namespace plimsoll {

/// An error where the space of the request does not ask whether to split, or its traffic has
/// neither a rate nor lengths that could be varied.
Result<void> check_turning_points(const PlanRequest& request, const Planned& planned);

/// Fills in the turns of a report that has its request and its plan; `planned` made its
/// deployments. With fewer points where the execution does not keep going.
Result<void> add_turning_points(const Planned& planned, const Execution& execution,
                                PlanReport* report);

}  // namespace plimsoll
