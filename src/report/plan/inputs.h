// The inputs of a plan beyond its request: traffic and deployments as the command line settled
// them, and what the files hold that it names. Filled by cli/plan_candidates.cc.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/json.h"
#include "setup/run_config.h"

namespace plimsoll {

struct PlanReport;  // report/plan/plan.h

struct FileDigest {
  std::string path;
  std::string digest;  ///< of its contents; another one, other contents
};

struct PlanInputs {
  std::vector<ConfigEntry> traffic;  ///< what arrives, at any rate
  std::vector<ConfigEntry> flags;    ///< others that all candidates have in common
  std::vector<FileDigest> files;
  std::int64_t seed = 0;
};

/// The question of a report, the space that was searched and the prices with it.
Json plan_inputs_json(const PlanReport& report);

}  // namespace plimsoll
