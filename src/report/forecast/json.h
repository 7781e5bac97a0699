// Parts of the JSON report of a forecast, of which each adds its own keys. Called by
// report/forecast/json.cc.
#pragma once

#include <optional>

#include "base/json.h"
#include "report/forecast/forecast.h"

namespace plimsoll {

Json number_or_null(const std::optional<double>& value);  ///< null of what is not finite, too
Json interval_or_null(const std::optional<Interval>& interval);

/// What time brings: runway, GPUs ahead, losses, the history, and what came.
void add_runway_json(const ForecastReport& r, Json* out);

}  // namespace plimsoll
