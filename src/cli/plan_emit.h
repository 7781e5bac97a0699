// `plimsoll plan --emit`: the recommendation as files that deploy it, with the load test and the
// simulation behind it. Called by plan.cc.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "cli/options.h"
#include "cli/planned.h"
#include "report/plan.h"

namespace plimsoll {

/// An error before any work: --emit without a folder, a folder that cannot be made.
Result<void> check_emission(const Options& options);

/// Of a report that has a best one. Makes the folder; returns the paths written.
Result<std::vector<std::string>> emit_deployment(const Options& options, const Planned& planned,
                                                 const PlanReport& report);

}  // namespace plimsoll
