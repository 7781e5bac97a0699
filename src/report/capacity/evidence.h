// The tests behind the answer of `capacity`, as a table. Called by report/capacity/capacity.cc.
#pragma once

#include <string>
#include <vector>

#include "report/capacity/capacity.h"

namespace plimsoll {

const std::vector<LoadProbe>& tests_of(const CapacityReport& report);

/// Those next to the answer on both sides, and what --headroom asks for.
std::string evidence_table(const CapacityReport& report);

}  // namespace plimsoll
