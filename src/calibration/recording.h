// A recorded run of a real deployment (TraceV2, as `plimsoll observe` writes it) as an experiment:
// the same requests are sent to the simulated deployment at the same moments.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/semantics.h"
#include "calibration/experiment.h"
#include "cluster/deployment.h"
#include "profile/measured_steps.h"
#include "workload/trace_v2.h"

namespace plimsoll {

/// One TTFT and one TPOT per request that was answered whole; all others are simulated too. Warm-up
/// requests do not count. An error if nothing remains.
Result<Experiment> experiment_of(std::shared_ptr<const TraceV2> trace, const Deployment& deployment,
                                 const Semantics& semantics, const std::string& source);

// Steps that were timed one by one as an experiment: nothing is simulated, each is priced by the
// model and compared.

/// There must be at least one. Every third, in the order given, is held out.
Experiment experiment_of(std::vector<MeasuredSteps> steps,
                         std::shared_ptr<const StepTimeModel> base, std::string source);

}  // namespace plimsoll
