// Intervals of the headline metrics. Called by summarize().
#pragma once

#include <vector>

#include "engine/run_record.h"
#include "metrics/goodput.h"
#include "metrics/summary.h"

namespace plimsoll {

/// Empty unless the verdict is steady. A metric the run is too short for is left out. `summary` has
/// all else by now. `good` says what requests are to goodput; empty if nobody asked.
std::vector<MetricInterval> headline_intervals(const RunRecord& record, const Summary& summary,
                                               const std::vector<Good>& good);

}  // namespace plimsoll
