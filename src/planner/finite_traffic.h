// A specification or a trace that ends, and that tests play faster or slower as a whole. Its days
// may pass in minutes then, and its peaks with them: too short for a queue to form.
#pragma once

#include "planner/load_probe.h"

namespace plimsoll {

struct FiniteTraffic {
  double own_rps = 0;        ///< on average, as it was given; 0: its time is never stretched
  double busiest_tenth = 1;  ///< as TrafficSize has it
  double span_s = 0;         ///< from its first request to its last

  /// How many times as fast it passes in that test as it was given, where that hides its peaks; 0:
  /// they count, as they do if the busiest tenth still lasts as long as a hundred requests do one
  /// after the other.
  double haste(const LoadProbe& test) const {
    constexpr double kMuchFaster = 2;
    constexpr double kLong = 100;
    const bool has_peaks = test.state.reason.cause == SteadyCause::rate_changes;
    const double faster = own_rps > 0 && has_peaks ? test.rate_rps / own_rps : 0;
    const double request_s = test.summary.cluster.e2e.mean_ms / 1e3;
    return faster >= kMuchFaster && span_s / 10 / faster <= kLong * request_s ? faster : 0;
  }
  /// How many times the rate of that test its hidden peaks have; 1: none are hidden.
  double hidden_peak(const LoadProbe& test) const { return haste(test) > 0 ? busiest_tenth : 1; }
};

}  // namespace plimsoll
