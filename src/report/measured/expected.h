// The measurements of a real server beside what a simulation expects of it: as lines of the report,
// and as figures of the page, which has them of the measured latencies alone, too.
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <vector>

#include "report/measured/observation.h"

namespace plimsoll {

/// Those that are told of each latency.
inline constexpr std::array<std::size_t, 4> kToldPercentiles{50, 90, 95, 99};

/// One for each latency that was measured and is expected; the first begins with the deployment.
/// Empty where nothing was expected.
std::vector<std::string> expected_texts(const ObservationReport& report);

/// One for each latency that was measured: the share of the requests that took so long at most.
std::string latency_share_figures(const ObservationReport& report);

}  // namespace plimsoll
