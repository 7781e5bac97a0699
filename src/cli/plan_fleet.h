// `plimsoll plan` for several models on one fleet.
#pragma once

#include "base/result.h"
#include "cli/parse.h"
#include "planner/fleet_request.h"

namespace plimsoll {

/// The exit code: 0 if all models are served, else 1; 130 after Ctrl-C.
Result<int> plan_fleet(const Command& command, FleetRequest request);

}  // namespace plimsoll
