// How well forecasts of a kind of demand do against what may come.
#pragma once

#include <cstddef>
#include <optional>

#include "forecast/outlook/outlook.h"
#include "forecast_kinds/kinds.h"

namespace plimsoll {

/// Means over the series of a kind; of peak_bias the median.
struct KindScore {
  double peak_covered = 0;  ///< share of the peaks to come within their 90 % band
  /// Of the chance to cross lines at the percentiles 10, 33, 67 and 90 of the peaks to come.
  double brier = 0;
  double band_width = 0;  ///< of the peak, over that of who knows the truth
  double mase_ratio = 0;  ///< mean absolute error over that of repeating the last week
  double peak_bias = 0;   ///< median of the peak over the true one, less 1
};

/// Over the series 1 to `series`; by the chosen method if none is named. None where the method does
/// not apply to one of them.
std::optional<KindScore> score_of(const Kind& kind, std::size_t series,
                                  std::optional<ForecastMethod> method = {});

}  // namespace plimsoll
