// How unevenly the requests of a recorded trace come, and how widely their lengths vary: what
// routes that continue the trace do not have to say themselves.
#pragma once

#include <optional>

#include "base/units.h"
#include "workload/workload.h"

namespace plimsoll {

/// Coefficients of variation, standard deviation over mean; none where the trace is too short to
/// tell.
struct TrafficShape {
  std::optional<double> prompt_cv;  ///< of whole prompts
  std::optional<double> output_cv;
  /// Of the gaps between arrivals: the root of the variance over mean of their counts in tenths of
  /// a step, around the mean of that step, so that neither the hour of the day counts as a burst
  /// nor do times that a recorder has rounded. For a renewal process both are the same in the long
  /// run (Cox and Lewis 1966).
  std::optional<double> arrival_cv;
};

TrafficShape shape_of(const Workload& trace, Duration step);

}  // namespace plimsoll
