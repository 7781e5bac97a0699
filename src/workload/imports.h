// The keys servegen_data and inference_perf of a workload specification stand for clients and
// cohorts: this puts those in their place.
#pragma once

#include <string>

#include "base/result.h"
#include "workload/workload_spec.h"

namespace plimsoll {

/// `file` is the specification's own path, from whose folder the path of data counts. What the
/// specification says about seed, rate, number of requests and horizon wins over the import.
Result<WorkloadSpec> expand_imports(WorkloadSpec spec, const std::string& file);

}  // namespace plimsoll
