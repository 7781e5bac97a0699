// The decisions of a specification about instances that are all alike, and the pool that is made of
// them.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "cluster/deployment.h"
#include "perf/calibration.h"
#include "perf/engine_rules.h"
#include "perf/latency_models.h"
#include "perf/model_error.h"
#include "setup/chosen_model.h"
#include "setup/engine_limits.h"
#include "setup/run_spec.h"

namespace plimsoll {

class SharedSteps;  // setup/shared_steps.h

/// The decisions of a specification before anything is made of it.
struct Chosen {
  ChosenModel model;
  LatencyInputs inputs;
  std::optional<Calibration> calibration;
  std::shared_ptr<const StepTimeModel> step_time;
  EngineConfig engine;
  KvBlocks blocks;
};

/// `run` is that of a pool of that role (run_of() of setup/pools.h). `shared`, if there is one, has
/// the step-time models of earlier setups.
Result<Chosen> choose(const RunSpec& run, PoolRole role, SharedSteps* shared,
                      std::vector<std::string>* notes);

/// With the limits that rules of vLLM's scheduler are about.
ModelPlacement placement_of(const RunSpec& run, const LatencyInputs& inputs,
                            const EngineConfig& engine);

/// The step-time model under a calibration, or that of the run.
std::string base_name(const RunSpec& run, const std::optional<Calibration>& calibration);

/// A correction does not narrow the error of the model it corrects.
std::optional<ModelError> error_of_steps(const RunSpec& run, const LatencyInputs& inputs,
                                         const std::optional<Calibration>& calibration);

struct MadePool {
  Pool pool;
  EngineConfig limits;    ///< as vLLM's flags have them, of each data-parallel rank
  std::string on_length;  ///< a note, or empty
};

/// `run` is that of the pool (run_of() of setup/pools.h).
Result<MadePool> make_pool(const RunSpec& run, const PoolSpec& asked, const Chosen& chosen);

}  // namespace plimsoll
