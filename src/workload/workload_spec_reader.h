// The strict reader of workload specifications (workload_spec.h): all errors of a file at once,
// each with its place. `run --workload-spec`, `convert`, `compose` and `describe` call it.
#pragma once

#include <string>

#include "base/result.h"
#include "workload/workload_spec.h"

namespace plimsoll {

/// Files with lengths are read, too; their paths count from the folder of the specification.
Result<WorkloadSpec> read_workload_spec(const std::string& path);

/// Without looking at any other file: empirical distributions from files have no weights yet.
Result<WorkloadSpec> parse_workload_spec(const std::string& text, const std::string& file);

}  // namespace plimsoll
