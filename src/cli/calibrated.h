// What --calibration says.
#pragma once

#include <optional>

#include "base/result.h"
#include "cli/options.h"
#include "perf/calibration.h"

namespace plimsoll {

/// None without the flag. Flags that would choose other step times are an error.
Result<std::optional<Calibration>> calibration_of(const Options& options);

}  // namespace plimsoll
