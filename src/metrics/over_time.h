// Latencies of a run over time, by the arrival of the requests: what the page of a run draws beside
// its verdict.
#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "engine/run_record.h"
#include "metrics/latency.h"
#include "stats/steady_state.h"

namespace plimsoll {

/// Requests that arrive within one stretch of the run. Times in seconds from the start of the run.
struct LatencyStretch {
  double begin_s = 0;
  double end_s = 0;
  LatencySummary ttft;
  LatencySummary tpot;  ///< the mean gap of each request
};

struct LatenciesOverTime {
  std::vector<LatencyStretch> stretches;  ///< of equal length; those with requests enough
  double width_s = 0;                     ///< of each
  double first_arrival_s = 0;
  double last_arrival_s = 0;
  double warmup_s = 0;  ///< before this the verdict on steadiness does not look
  /// The stretches that the verdict compared, from and to: where it argues with delays those of the
  /// first and the last fifth of the requests, else the work in the system in the middle third and
  /// in the last quarter of the run (stats/trend.h); empty: it compared neither.
  std::vector<std::pair<double, double>> compared_s;
  bool compares_delays = false;
};

/// No stretches where there are too few requests for any course to be seen.
LatenciesOverTime latencies_over_time(const RequestTable& table, const MetricDefinitions& how,
                                      const SteadyState& state);

// How latencies are distributed over the requests: their percentiles as a curve, which is what
// pages draw of few requests as well as of many.

struct LatencyCurve {
  std::string name;        ///< "TTFT"
  std::vector<double> ms;  ///< its percentiles 1, 2 ... 99; empty if no request has it

  /// The percentile p of 1 to 99.
  double at(std::size_t p) const { return ms[p - 1]; }
};

/// TTFT, TPOT and E2E latency of the requests from `first_row` on; without those that none has.
std::vector<LatencyCurve> latency_curves(const RequestTable& table, const MetricDefinitions& how,
                                         std::size_t first_row);

}  // namespace plimsoll
