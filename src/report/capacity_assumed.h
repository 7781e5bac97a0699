// What nobody said of a deployment whose capacity was asked for, and what stood in.
#pragma once

#include <string>
#include <vector>

#include "report/capacity.h"

namespace plimsoll {

/// GPUs, limits of the engine, traffic, price: one text each, in the words of flags.
std::vector<std::string> capacity_assumed(const CapacityReport& report);

}  // namespace plimsoll
