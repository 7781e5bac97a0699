// Runs a steady simulation again at both ends of its step-time model's error.
#pragma once

#include <optional>

#include "cli/setup.h"
#include "cli/simulate.h"
#include "metrics/summary.h"

namespace plimsoll {

/// None if the run is not steady, its model's error is not known (--latency-model other than
/// kernel), --model-error is off, more than 200,000 requests arrived, or Ctrl-C
/// ended one of the two runs.
std::optional<ModelBand> run_model_band(const Options& options, const Setup& setup,
                                        TrafficMaker make_traffic, const SummaryOptions& wanted,
                                        const Summary& central);

}  // namespace plimsoll
