// What came, laid on the windows of the history that a forecast continues: so that each date of the
// forecast has its own outcome. Called where actuals are compared.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "forecast/runway/demand_history.h"

namespace plimsoll {

/// Steps [first, first + count) of an outlook that what came fills.
struct DatedWindows {
  std::size_t first = 0;
  std::size_t count = 0;
  std::size_t rows_each = 1;    ///< of what came
  std::size_t rows_before = 0;  ///< that lie before the first window
};

/// An error where the times of what came cannot be set against those of the forecast.
Result<DatedWindows> windows_of(const History& came, const std::string& path,
                                const DemandHistory& demand, std::size_t horizon);

/// One value for each window: what a value of the history is, the busiest step of a day or the mean
/// of a step.
std::vector<double> in_windows(std::span<const double> rows, const DatedWindows& windows,
                               bool daily_peaks);

}  // namespace plimsoll
