// A deployment that was simulated, as the command line of vLLM 0.11 has it: limits are those of
// each data-parallel rank, as vLLM's flags are (vLLM docs, "Engine arguments", "Data parallel
// deployment").
#pragma once

#include <string>
#include <vector>

#include "cli/options.h"
#include "report/emit/recommended_deployment.h"
#include "setup/setup.h"

namespace plimsoll {

struct VllmArguments {
  std::vector<std::string> engine;  ///< all but the sizes of parallel groups
  /// Flags of `run` that decide the simulation and have no counterpart there, with what to do.
  std::vector<UnsetFlag> unset;
};

/// Whether vLLM 0.11 can start this with asynchronous scheduling. Who writes files for what it
/// cannot has to show figures without.
bool starts_async(const RunSpec& run);

VllmArguments vllm_arguments(const Options& options, const Setup& setup);

}  // namespace plimsoll
