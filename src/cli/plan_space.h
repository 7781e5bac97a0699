// What the flags of `plan` say of a request, and what stands in where neither says anything.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "cli/options.h"
#include "planner/plan_request.h"

namespace plimsoll {

/// Flags come before what the request says already. What stands in is added to `assumed`.
Result<void> complete_request(const Options& options, PlanRequest* request,
                              std::vector<std::string>* assumed);

}  // namespace plimsoll
