// Runs a steady simulation again at both ends of its step-time model's error.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include "metrics/summary.h"
#include "setup/setup.h"
#include "setup/traffic.h"

namespace plimsoll {

/// Both ends together cost twice the run itself, which is not done unasked where that is long. No
/// report proposes a longer run than this.
inline constexpr std::int64_t kMostRequestsOfBand = 500'000;
bool is_too_long_for_band(const Summary& central);

/// None if the run is not steady, its model's error is not known (--latency-model other than
/// kernel), more than kMostRequestsOfBand requests arrived, or one of the two runs was stopped:
/// `keep_going`, asked by any thread, said no.
std::optional<ModelBand> run_model_band(const RunSpec& run, const Setup& setup,
                                        TrafficMaker make_traffic, const SummaryOptions& wanted,
                                        const Summary& central,
                                        const std::function<bool()>& keep_going);

}  // namespace plimsoll
