// One workload specification from several: all their clients and cohorts, each with the rate it has
// in its own file.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "workload/workload.h"
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

// A workload specification that makes traffic like a recorded trace: for `plimsoll convert
// tracev2`.

/// One client for each client, tenant and SLO class of the trace, and for each prefix that enough
/// of its prompts begin with (group_by_prefix() in fit.cc): with its share of the requests, its
/// lengths (up to 150 values where there are more) and the spread of its gaps. As many requests in
/// the same time; what follows what within a session, and how rates change, is not kept. The notes
/// say what was left out.
WorkloadSpec fit_workload(const Workload& workload);

/// The fitted form of token counts, in any order.
EmpiricalLength fit_length(std::vector<std::int64_t> tokens);

}  // namespace plimsoll
