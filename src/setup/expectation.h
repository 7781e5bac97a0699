// The latencies that a simulation expects of a server that was measured: the same requests on the
// deployment that it is said to be.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "base/result.h"
#include "metrics/over_time.h"
#include "setup/run_spec.h"
#include "setup/setup.h"

namespace plimsoll {

struct ExpectedLatency {
  LatencyCurve center;
  /// Between these curves with nine chances in ten, by the error of the step-time model; empty
  /// where that is not known.
  std::vector<double> low_ms;
  std::vector<double> high_ms;

  bool has_band() const { return !low_ms.empty(); }
};

struct Expectation {
  std::string deployment;  ///< "qwen/qwen3-14b on 1 H100"
  std::vector<ExpectedLatency> latencies;
};

/// Simulates the recorded traffic that `run` names. Latencies are of the requests from `first_row`
/// on. Runs with steps as short and as long as the error allows, too.
Result<Expectation> expectation(const RunSpec& run, const Setup& setup,
                                const MetricDefinitions& how, std::size_t first_row);

}  // namespace plimsoll
