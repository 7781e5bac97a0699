// A workload specification that makes traffic like a recorded trace: for `plimsoll convert
// tracev2`.
#pragma once

#include "workload/workload.h"
#include "workload/workload_spec.h"

namespace plimsoll {

/// One client for each client, tenant and SLO class of the trace, and for each prefix that enough
/// of its prompts begin with (group_by_prefix() in fit.cc): with its share of the requests, its
/// lengths (up to 150 values where there are more) and the spread of its gaps. As many requests in
/// the same time; what follows what within a session, and how rates change, is not kept. The notes
/// say what was left out.
WorkloadSpec fit_workload(const Workload& workload);

/// The fitted form of token counts, in any order.
EmpiricalLength fit_length(std::vector<std::int64_t> tokens);

}  // namespace plimsoll
