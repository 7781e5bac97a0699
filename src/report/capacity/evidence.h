// The tests behind the answer of `capacity`, as a table. Called by report/capacity/capacity.cc.
#pragma once

#include <string>
#include <vector>

#include "report/capacity/capacity.h"

namespace plimsoll {

const std::vector<LoadProbe>& tests_of(const CapacityReport& report);

/// Those next to the answer on both sides, and what --headroom asks for.
std::string evidence_table(const CapacityReport& report);

// What nobody said of a deployment whose capacity was asked for, and what stood in.

/// "prompt-tokens 512 +- 256 from 2 to 7,000" for the key "prompt-tokens", of it what was not said;
/// empty: all of it was.
std::string assumed_length(const RunConfig& config, const std::string& key);

/// GPUs, limits of the engine, traffic, price: one text each, in the words of flags.
std::vector<std::string> capacity_assumed(const CapacityReport& report);

}  // namespace plimsoll
