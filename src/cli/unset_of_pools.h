// What the emitted servers of several instances cannot be told of the deployment that was
// simulated, and who has to do it instead.
#pragma once

#include <string>
#include <vector>

#include "planner/candidate.h"
#include "report/emit/deployment_files.h"
#include "setup/run_spec.h"
#include "setup/setup.h"

namespace plimsoll {

/// How a balancer comes near to `router`, which goes by the speed of instances.
void add_unset_of_mix(const Setup& setup, const std::string& router, std::vector<UnsetFlag>* unset);

/// Who has to route so, where all instances are alike. `form`: of --emit.
void add_unset_router(const std::string& router, const std::string& form,
                      std::vector<UnsetFlag>* unset);

/// Nothing if the candidate does not split. `form`: of --emit; what it writes differs in who sends
/// the first token.
void add_unset_of_split(const Candidate& candidate, const SplitSpec& split, const std::string& form,
                        std::vector<UnsetFlag>* unset);

}  // namespace plimsoll
