// `plimsoll plan --emit`: the recommendation as files that deploy it, with the load test and the
// simulation behind it.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "cli/options.h"
#include "report/plan/plan.h"
#include "setup/planned.h"

namespace plimsoll {

/// An error before any work: --emit without a folder, a folder that cannot be made, a file in one
/// of `folders` that would be lost. Those need not be there.
Result<void> check_emission(const Options& options, const std::vector<std::string>& folders);

struct Emission {
  std::string form;    ///< of deployment_forms()
  std::string folder;  ///< made where there is none
  std::string name;    ///< of what is deployed; empty: after its model
};

/// Writes the files of a report that has a best one. Returns the paths written.
Result<std::vector<std::string>> emit_deployment(const Emission& emission, const Planned& planned,
                                                 const PlanReport& report);

}  // namespace plimsoll
