// The files that the run behind a plan reads, for scripts that are started, and copied, from
// anywhere.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "report/emit/deployment_files.h"

namespace plimsoll {

/// Where scripts look for the files beside them: HERE is their folder.
struct EmittedInputs {
  std::vector<DeploymentFile> files;  ///< beside the scripts
  std::vector<std::string> flags;     ///< as "--name=value", of those that read no file beside
  std::string run_words;              ///< the rest, as typed
  std::string traffic_words;          ///< of it, what says which requests there are
};

/// The names that `files` may have.
std::vector<DeploymentFile> possible_inputs();

/// `flags` of `run`, as CandidateResult::flags. Specifications of workloads are written without
/// other files; `calibration` stands for measured steps. Other files stay where they are, by their
/// whole path. Errors: a specification that cannot be read.
Result<EmittedInputs> emitted_inputs(const std::vector<std::string>& flags,
                                     const std::optional<std::string>& calibration);

}  // namespace plimsoll
