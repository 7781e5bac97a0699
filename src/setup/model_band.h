// Runs a steady simulation again at both ends of its step-time model's error.
#pragma once

#include <cstdint>
#include <optional>

#include "metrics/summary.h"
#include "setup/run_again.h"

namespace plimsoll {

/// Both ends together cost twice the run itself, which is not done unasked where that is long. No
/// report proposes a longer run than this.
inline constexpr std::int64_t kMostRequestsOfBand = 500'000;
bool is_too_long_for_band(const Summary& central);

/// None if the run is not steady, its model's error is not known (--latency-model other than
/// kernel), more than kMostRequestsOfBand requests arrived, or one of the two runs was stopped:
/// keep_going() said no.
std::optional<ModelBand> run_model_band(const RunMade& made, const Summary& central);

}  // namespace plimsoll
