// From a specification to what is deployed: looks up model and GPU, makes the step-time model,
// sizes the KV cache, and records where every value came from.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/semantics.h"
#include "catalog/model.h"
#include "cluster/deployment.h"
#include "perf/model_error.h"
#include "perf/parallelism.h"
#include "setup/run_config.h"
#include "setup/run_spec.h"

namespace plimsoll {

struct Setup {
  std::string model;   ///< id of the deployed model
  std::string hub_id;  ///< as the model hub spells it; empty: of a file
  ModelConfig architecture;
  std::string gpu;        ///< name in the catalog, or in --hardware-config
  std::int64_t gpus = 0;  ///< of all instances
  std::int64_t gpus_per_machine = 8;
  Deployment deployment;
  std::optional<ModelError> model_error;  ///< of the step times; none where it is not known
  Parallelism layout;
  /// As vLLM's flags have them, of each data-parallel rank; the engine below has the instance's.
  std::int64_t max_num_seqs = 0;
  std::int64_t max_num_batched_tokens = 0;
  std::vector<ConfigEntry> config;  ///< what a reader asks first: model, GPU, instances
  std::vector<ConfigEntry> limits;  ///< the rest of the deployment
  std::vector<std::string> notes;   ///< for stderr

  /// The GPU types of all pools, each once; `gpu` first.
  std::vector<std::string> gpus_of_pools() const;
};

class SharedSteps;  // setup/shared_steps.h

/// `shared`, if there is one, has the step-time models of earlier setups.
Result<Setup> make_setup(const RunSpec& run, SharedSteps* shared = nullptr);

/// The step-time model that the run chooses.
std::string latency_model_name(const RunSpec& run);

/// The chosen semantics with the switches that the run turns off.
Semantics semantics_of(const RunSpec& run);

}  // namespace plimsoll
