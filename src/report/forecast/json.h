// Parts of the JSON report of a forecast, of which each adds its own keys. Called by
// report/forecast/json.cc.
#pragma once

#include "base/json.h"
#include "report/forecast/forecast.h"

namespace plimsoll {

/// A moment of a history; null where there is none.
Json moment_json(const RunwaySheet& sheet, const std::optional<double>& time);

/// Adds what time brings: runway, GPUs ahead, losses, the history, and what came.
void add_runway_json(const ForecastReport& r, Json* out);

}  // namespace plimsoll
