// What an answer of the planner says of itself: on how many seeds it rests, what binds, and what is
// to spare. The same words for `capacity` and `plan`.
#pragma once

#include <string>
#include <vector>

#include "planner/load_probe.h"

namespace plimsoll {

/// Requests per second: the rates of a search are close to each other.
std::string four_digits(double rps);

/// "held with 3 seeds, TTFT p95 1.21 s to 1.90 s"; of one seed, what that means.
std::string seeds_text(const std::vector<Slo>& slos, const LoadProbe& held);

/// "decode bandwidth, queue where it fails": what binds at the answer and, if it is something else,
/// in the test that fails beside it (null: none did).
std::string binding_text(const LoadProbe& held, const LoadProbe* failing);

/// Of a rate that was asked for, what was shown to hold and what fails beside it (infinite:
/// nothing): "up to 214.0 req/s hold, 7.00 % more than asked for", "none could be shown, and it is
/// less than 7.00 %".
std::string headroom_text(double asked_rps, double good_rps, double bad_rps);

}  // namespace plimsoll
