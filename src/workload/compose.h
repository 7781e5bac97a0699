// One workload specification from several: all their clients and cohorts, each with the rate it has
// in its own file.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "workload/workload_spec.h"

namespace plimsoll {

struct NamedSpec {
  std::string file;
  WorkloadSpec spec;  ///< without imports; lengths from files have been read
};

/// Rates: with an aggregate rate everywhere, the sum, and each client has its share of its own
/// file's. Where shares change over time, only some files have an aggregate rate, or horizons
/// differ, each file becomes a part of the workload (PartSpec), with rate and horizon of its own.
/// Ids that clash get the name of their file in front, and so do prefix groups of unequal length.
/// num_requests is the sum and horizon the greatest if every file has one; the seed is the first
/// one given. What cannot be kept is an error; what was changed is said in the notes.
Result<WorkloadSpec> compose(std::vector<NamedSpec> parts);

}  // namespace plimsoll
