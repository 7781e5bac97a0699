// A mix of a plan as the pools of a fleet file, so that `run --fleet` and `capacity --fleet` take
// what a plan recommends.
#pragma once

#include <vector>

#include "planner/candidate.h"
#include "setup/run_spec.h"

namespace plimsoll {

/// With so many replicas: these first, then what serves beside them.
std::vector<PoolSpec> pools_of_mix(const Candidate& candidate, std::int64_t replicas);

}  // namespace plimsoll
