// `--policy-config FILE`: policies in the reference simulator's (BLIS) YAML form. Each key stands
// for a flag, is checked as that flag is, and gives way to the flag on the command line.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "cli/options.h"

namespace plimsoll {

/// Sets what the file says. Returns notes for stderr.
Result<std::vector<std::string>> apply_policy_bundle(const std::string& path, Options* options);

/// The same and the pools of the fleet file (setup/fleet_file.h), of the files that the options
/// name, if any.
Result<std::vector<std::string>> apply_files(Options* options);

/// With what these files say.
Result<Options> with_files(Options options);

/// The options that these words give `run`, with the files that they name.
Result<Options> options_of_run(const std::vector<std::string>& words);

}  // namespace plimsoll
