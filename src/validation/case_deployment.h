// From what a case says of its deployment to what the simulation needs.
#pragma once

#include <cstdint>
#include <vector>

#include "base/result.h"
#include "base/semantics.h"
#include "catalog/gpu.h"
#include "catalog/model.h"
#include "cluster/deployment.h"
#include "perf/calibration.h"
#include "perf/latency_models.h"
#include "perf/model_error.h"
#include "validation/case.h"

namespace plimsoll {

struct CaseSetup {
  Deployment deployment;
  Semantics semantics;
  ModelError error;
  /// What the client of a closed loop adds to each first token (catalog/step-overheads.yaml).
  double client_steps = 0;
  double client_ms_per_stream = 0;
  std::vector<CaseAssumption> assumptions;
};

/// How the case spreads the model; an error if its degrees contradict each other.
Result<Parallelism> layout_of(const CaseDeployment& deployment, const ModelConfig& model);

/// `model` as its configuration states it; what the case says of its weights is applied here.
/// `sampling` is the model's default. For closed loops without a limit of their own,
/// `concurrency` is the limit. A `calibration` replaces the latency model; null: none.
Result<CaseSetup> deploy(const Case& measured, const ModelConfig& model, Sampling sampling,
                         const std::string& latency_model, const Calibration* calibration,
                         std::int64_t concurrency);

}  // namespace plimsoll
