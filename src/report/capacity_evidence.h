// The tests behind the answer of `capacity`, as a table. Called by report/capacity.cc.
#pragma once

#include <string>
#include <vector>

#include "report/capacity.h"

namespace plimsoll {

const std::vector<LoadProbe>& tests_of(const CapacityReport& report);

/// The rates of a search are close to each other.
std::string four_digits(double rps);

/// Those next to the answer on both sides, and what --headroom asks for.
std::string evidence_table(const CapacityReport& report);

}  // namespace plimsoll
