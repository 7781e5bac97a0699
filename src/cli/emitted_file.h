// Files of `--emit` say that plimsoll wrote them, with a checksum of the rest: such a file may be
// written again, and one that somebody wrote or changed may not.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "cli/options.h"
#include "report/emit/deployment_files.h"

namespace plimsoll {

/// An error before any work: --emit without a folder, a folder that cannot be made, a file in one
/// of `folders` that would be lost. Those need not be there. `example`: a form.
Result<void> check_emission(const PlanFiles& asked, const std::string& example,
                            const std::vector<std::string>& folders,
                            const std::vector<DeploymentFile>& files);

/// Makes the folder where there is none. Returns the paths written.
Result<std::vector<std::string>> write_emitted(const std::string& folder,
                                               const std::vector<DeploymentFile>& files);

}  // namespace plimsoll
