// How fast one instance of a running engine answered for a while, by its own counters: means over
// the requests of that while, beside what a simulation of such traffic gives.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/semantics.h"
#include "calibration/experiment.h"
#include "cluster/deployment.h"

namespace plimsoll {

/// Tokens are means per request; one latency at least is there.
struct MeasuredWindow {
  double begin_s = 0;  ///< since 1970
  double requests_per_s = 0;
  double prompt_tokens = 0;  ///< cached ones included
  double cached_tokens = 0;  ///< of the prompt
  double output_tokens = 0;
  std::optional<double> ttft_ms;  ///< mean of the requests
  std::optional<double> tpot_ms;  ///< mean of all gaps between tokens
};

/// Each window as Poisson arrivals at one instance of the deployment. Lengths vary by half of their
/// mean; cached tokens are a prefix that all requests share. Of many windows some of every load are
/// simulated, as many as a fit needs. An error where prefill and decode are apart.
Result<Experiment> experiment_of(std::vector<MeasuredWindow> windows, const Deployment& deployment,
                                 const Semantics& semantics, const std::string& source);

}  // namespace plimsoll
