// A deployment that was simulated, as the command line of vLLM 0.11 has it: limits are those of
// each data-parallel rank, as vLLM's flags are (vLLM docs, "Engine arguments", "Data parallel
// deployment").
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cli/options.h"
#include "report/emit/deployment_files.h"
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

/// Whether vLLM makes this format of 16-bit weights when it starts; others are checkpoints of their
/// own.
bool is_made_at_start(std::string_view quantization);

VllmArguments vllm_arguments(const Options& options, const Setup& setup);

}  // namespace plimsoll
