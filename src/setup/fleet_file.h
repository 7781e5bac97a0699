// The fleet file of `--fleet`: pools of instances, as YAML. docs/reference/formats.md describes its
// keys.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "setup/run_spec.h"
#include "spec/spec_file.h"

namespace plimsoll {

/// Reads the file that the run names, if any, or the text that stands in its place ("{pools: ..."),
/// into FleetSpec::pools. All errors of the file at
/// once.
Result<void> read_fleet(RunSpec* run);

/// The pools of an open file. `gpus` are those of the catalog: without --hardware-config.
Result<std::vector<PoolSpec>> read_pools(SpecFile file, bool gpus_are_listed);

// Pools as read_pools() reads them.

/// As a value of --fleet, JSON without blanks: {"pools":[{"name":"h100","instances":2,...},...]}
std::string fleet_in_line(const std::vector<PoolSpec>& pools);
/// As a file.
std::string fleet_file(const std::vector<PoolSpec>& pools);

}  // namespace plimsoll
