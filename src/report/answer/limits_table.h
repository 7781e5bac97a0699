// The SLOs of a test as a table of a page: what was found, how sure that is, and the margin.
#pragma once

#include <string>
#include <vector>

#include "planner/load_probe.h"
#include "planner/slo.h"

namespace plimsoll {

/// Nothing without SLOs, or where the test did not get to them. Ids of figures begin with `prefix`.
std::string limits_table(const LoadProbe& probe, const std::vector<Slo>& slos,
                         const std::string& prefix = {});

}  // namespace plimsoll
