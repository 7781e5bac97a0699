// Measured runs in the case format (docs/reference/measurements.md, "Cases") as experiments.
#pragma once

#include <string>

#include "base/result.h"
#include "calibration/experiment.h"
#include "catalog/model.h"
#include "perf/latency_models.h"
#include "validation/case.h"

namespace plimsoll {

/// A case as an experiment, and of which deployment it is.
struct CaseExperiment {
  Experiment experiment;
  std::string gpu;  ///< name in the catalog
  Parallelism layout;
};

/// Per request where the case has such rows, else the mean TTFT and TPOT of each stage, each point
/// of a closed loop, or the run. The case must outlive it. Cases that say nothing of step times are
/// an error: overloaded ones, and those that `validate` cannot simulate.
Result<CaseExperiment> experiment_of(const Case& measured, const ModelConfig& model,
                                     Sampling sampling, const std::string& latency_model);

}  // namespace plimsoll
