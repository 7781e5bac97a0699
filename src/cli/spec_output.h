// How `convert` and `compose` hand over a workload specification.
#pragma once

#include "cli/parse.h"
#include "workload/workload_spec.h"

namespace plimsoll {

/// As YAML to --output, else to stdout; its notes to stderr. Reads it back first, so that nothing
/// leaves that no other verb would take. Returns the exit code.
Result<int> print_spec(const WorkloadSpec& spec, const Command& command);

}  // namespace plimsoll
