// What a search of `plimsoll capacity` tells of itself while it goes on.
#pragma once

#include <vector>

#include "cli/progress.h"
#include "planner/capacity_search.h"

namespace plimsoll {

/// With what the last test showed: of numbers of instances, or of loads in that unit.
WorkSoFar work_so_far(const CapacityProgress& progress, const LoadProbe& test,
                      const std::vector<Slo>& slos, const LoadUnit& unit, bool counts_instances);

}  // namespace plimsoll
