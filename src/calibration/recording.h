// A recorded run of a real deployment (TraceV2, as `plimsoll observe` writes it) as an experiment:
// the same requests are sent to the simulated deployment at the same moments.
#pragma once

#include <memory>

#include "base/result.h"
#include "base/semantics.h"
#include "calibration/experiment.h"
#include "cluster/deployment.h"
#include "workload/trace_v2.h"

namespace plimsoll {

/// One TTFT and one TPOT per request that was answered whole; all others are simulated too. Warm-up
/// requests do not count. An error if nothing remains.
Result<Experiment> experiment_of(std::shared_ptr<const TraceV2> trace, const Deployment& deployment,
                                 const Semantics& semantics, const std::string& source);

}  // namespace plimsoll
