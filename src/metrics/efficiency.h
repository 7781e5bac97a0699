// MFU, MBU, power and energy of the instances of a run and of all of them together, where the
// arithmetic of every pool is known.
#pragma once

#include "cluster/deployment.h"
#include "engine/run_record.h"
#include "metrics/summary.h"

namespace plimsoll {

/// Fills in Efficiency of a summary of that run, which took `run_s`.
void set_efficiency(const RunRecord& record, const Deployment& deployment, double run_s,
                    Summary* summary);

}  // namespace plimsoll
