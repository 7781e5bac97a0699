// What --think-time-ms and --think-time-dist say together, for all closed loops.
#pragma once

#include <optional>

#include "base/result.h"
#include "cli/options.h"
#include "workload/think_time.h"

namespace plimsoll {

/// None if neither flag is given, or if a zero counts as not given
/// (Semantics::think_times_exclude_service). Giving both is an error.
Result<std::optional<ThinkTime>> think_time_of(const Options& options);

}  // namespace plimsoll
