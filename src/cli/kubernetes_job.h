// The shards of an answer as an Indexed Job of Kubernetes (batch/v1): a manifest to look at and to
// apply. Written by executor.cc.
#pragma once

#include <string>

#include "cli/run_folder.h"

namespace plimsoll {

std::string kubernetes_job_name(const RunFolder& folder);

/// YAML.
std::string kubernetes_job(const RunFolder& folder);

}  // namespace plimsoll
