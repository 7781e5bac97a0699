// The windows in which a running engine was measured, each beside what a simulation of such traffic
// gives: an experiment for a calibration (calibration/experiment.h).
#pragma once

#include <string>

#include "base/result.h"
#include "base/semantics.h"
#include "calibration/experiment.h"
#include "cluster/deployment.h"
#include "forecast/history/latency_windows.h"

namespace plimsoll {

/// Each window as Poisson arrivals at one instance of the deployment, of such requests as a
/// forecast makes (forecast/demand/token_load.h). Of many windows some of every load are simulated,
/// as many as a fit needs. An error where prefill and decode are apart.
Result<Experiment> experiment_of(const LatencyWindows& measured, const Deployment& deployment,
                                 const Semantics& semantics, const std::string& source);

}  // namespace plimsoll
