// `plimsoll plan` for several models on one fleet.
#pragma once

#include <optional>

#include "base/result.h"
#include "cli/parse.h"
#include "cli/plan_session.h"
#include "planner/shared_fleet.h"

namespace plimsoll {

/// `file`: the request as it was read. The exit code: 0 if all models are served, else 1; 130 after
/// Ctrl-C.
Result<int> plan_fleet(const Command& command, const std::optional<RequestFile>& file,
                       FleetRequest request);

}  // namespace plimsoll
