// How latencies are distributed over the requests: their percentiles as a curve, which is what
// pages draw of few requests as well as of many.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "engine/run_record.h"
#include "metrics/latency.h"

namespace plimsoll {

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
