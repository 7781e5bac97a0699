// The common part of `run` and `replay`: all but where the traffic comes from.
#pragma once

#include "base/result.h"
#include "cli/parse.h"
#include "setup/traffic.h"

namespace plimsoll {

/// Resolves the deployment, simulates, prints. Returns the exit code: 0, or 130 when Ctrl-C ended
/// the run early (what there was has been printed).
Result<int> simulating_verb(const Command& command, TrafficMaker make_traffic);

}  // namespace plimsoll
