// The steps of the rows of a history: how far apart they are, and to which times those belong that
// a clock tells a little late or early.
#pragma once

#include <cstdint>
#include <string>
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

// Values that are missing in a series, put in where the file asks for it: on a straight line
// between neighbours. A gap of more than two hours may be where the busiest time of a day was,
// which no line has: it becomes as the weeks before and after were at that time.

inline constexpr std::int64_t kShortGapNs = 7'200'000'000'000;  ///< has no busiest time of a day

/// The mean of the same time a week before and after; NaN where either is missing.
double as_weeks_were(const std::vector<double>& came, std::int64_t step_ns, std::size_t i);

struct FilledGaps {
  std::int64_t values = 0;
  std::int64_t as_weeks = 0;  ///< of these, as the weeks before and after were

  void add(const FilledGaps& more);
  std::string how() const;  ///< for people
};

/// NaN between two values that are there; others stay.
FilledGaps fill_gaps(std::int64_t step_ns, std::vector<double>* values);

}  // namespace plimsoll
