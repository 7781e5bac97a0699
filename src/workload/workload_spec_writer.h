// A workload specification as the YAML that workload_spec_reader.h reads back equal. `convert` and
// `compose` write it. What has its default value is left out.
#pragma once

#include <string>

#include "workload/workload_spec.h"

namespace plimsoll {

std::string workload_spec_yaml(const WorkloadSpec& spec);

}  // namespace plimsoll
