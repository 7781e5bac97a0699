// Requests and tokens of a history may peak at different hours: chat by day, batches at night. The
// sheet takes all peaks at once, with lengths between those of either hour. What the deployment
// meets are the hours, so each is simulated on its own, as a scenario that is a part of the
// forecast.
#pragma once

#include <span>

#include "base/result.h"
#include "forecast/demand/forecast_request.h"
#include "forecast/runway/demand_growth.h"

namespace plimsoll {

/// Adds the hours in which requests, prompt tokens and output tokens are at the median of their
/// highest demand, with the routes as the history has them then, where the lengths of one differ by
/// a quarter from those of the forecast, which follows the history. `past`: as it was read.
Result<void> add_busy_hours(const History& past, const DemandHistory& demand,
                            std::span<const DemandOutlook> outlooks, ForecastRequest* request);

}  // namespace plimsoll
