// The inputs of a plan beyond its request: traffic and deployments as the command line settled
// them, and what the files hold that it names. Filled by cli/plan_candidates.cc.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "setup/run_config.h"

namespace plimsoll {

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

}  // namespace plimsoll
