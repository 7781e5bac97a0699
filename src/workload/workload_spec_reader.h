// The strict reader of workload specifications (workload_spec.h): all errors of a file at once,
// each with its place. `run --workload-spec`, `convert`, `compose` and `describe` call it.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "workload/workload_spec.h"

namespace plimsoll {

/// Files with lengths are read, too, and imports (servegen_data, inference_perf) become clients and
/// cohorts; paths count from the folder of the specification.
Result<WorkloadSpec> read_workload_spec(const std::string& path);

/// Without looking at any other file: empirical distributions from files have no weights yet, and
/// imports stand as they are.
Result<WorkloadSpec> parse_workload_spec(const std::string& text, const std::string& file);

/// The files that a specification names, and those in folders that it names, in an order of its
/// own; none if it cannot be read. For those who must know whether anything changed.
std::vector<std::string> files_named_by_workload_spec(const std::string& path);

}  // namespace plimsoll
