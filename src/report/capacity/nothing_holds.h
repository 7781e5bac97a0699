// Why no load or no number of instances was shown to hold, and what the sentences of `capacity`
// have in common.
#pragma once

#include <cstdint>
#include <string>

#include "report/capacity/capacity.h"

namespace plimsoll {

/// What so many instances do: "hold" a rate, "serves" users.
std::string serve_word(const CapacityReport& r, std::int64_t instances);

/// " at TTFT p99 < 500 ms"
std::string at_slos(const CapacityReport& r);

/// "4 instances (16 x H100)"
std::string fleet_text(const CapacityReport& r, std::int64_t instances);

/// The first test that turned requests away by their length; null if none did.
const LoadProbe* too_long_to_serve(const CapacityReport& r);

bool loses_requests(const LoadProbe& test);

/// Of a report that holds nothing.
std::string why_nothing_holds(const CapacityReport& r);

/// Without an answer: the tests decided it, or they were too few.
Answer tested_without_answer(const CapacityReport& r);

}  // namespace plimsoll
