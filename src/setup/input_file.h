// What a file of traffic is, told by its name and first line, so that `plimsoll describe FILE`
// needs no flags.
#pragma once

#include <string>

#include "base/result.h"
#include "setup/run_spec.h"

namespace plimsoll {

/// Sets the flags that name this file as --workload-spec, --trace with --trace-format, or
/// --trace-header with --trace-data (whose other file has the same name but for its ending).
Result<void> name_input(const std::string& path, TrafficSpec* traffic);

}  // namespace plimsoll
