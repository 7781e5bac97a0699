// The scenarios of a forecast's file: built-in ones by name, and those that it describes itself.
#pragma once

#include <vector>

#include "forecast/demand/scenario.h"
#include "spec/spec_file.h"

namespace plimsoll {

/// A map of scenarios by name:
///
///   built_in: [cache-collapse, instance-loss]    # absent: none of them
///   Friday: {times: {requests_per_s: 1.4}, set: {cached_share: 0.1}}
///   worst case: {combine: [Friday, instance-loss]}
///
/// Errors are noted in the map.
std::vector<Scenario> read_scenarios(SpecMap map, const std::vector<Route>& routes);

}  // namespace plimsoll
