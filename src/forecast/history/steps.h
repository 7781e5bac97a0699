// The steps of the rows of a history: how far apart they are, and to which times those belong that
// a clock tells a little late or early.
#pragma once

#include <cstdint>
#include <vector>

#include "forecast/history/rows.h"

namespace plimsoll {

struct HistorySteps {
  std::int64_t first_ns = 0;
  std::int64_t last_ns = 0;
  std::int64_t each_ns = 0;  ///< the median distance of neighbours; 0: no route has two rows
};

/// Of at least one route; each has a row.
HistorySteps steps_of(const std::vector<HistoryRoute>& routes);

/// Moves times to the grid from which they are off by less than a tenth of a step. Returns by how
/// many seconds at most; 0: they are on one, or on none, and stay as they are.
double snap(std::vector<HistoryRoute>* routes, HistorySteps* steps);

}  // namespace plimsoll
