// What providers charged in each window of a history, and will: every day is priced by the requests
// and tokens of its own, because a product's mix changes and its dearest route often grows fastest;
// and each route is continued on its own, because a sum does not grow as its parts do.
// Called after routes follow the history (forecast/runway/demand_growth.h).
#pragma once

#include <span>

#include "base/result.h"
#include "forecast/demand/forecast_request.h"
#include "forecast/runway/demand_growth.h"
#include "forecast/runway/demand_history.h"

namespace plimsoll {

/// Sets DemandHistory::spend, and by route the part of the peak's price that a month costs
/// (ForecastRequest::paid_load), which a note of the history sums up. Nothing is set where nothing
/// is bought by the token. Where the file says the mean load, or what routes will be (`is_stated`:
/// says_what_will_be() of the request as it was read), the dearest month of the forecast costs as
/// much as that makes it, and the present as much as the mean load makes of it.
Result<void> follow_spend(std::span<const DemandOutlook> outlooks, bool is_stated,
                          DemandHistory* demand, ForecastRequest* request);

/// What providers are paid for is the mean of a month, as a share of the peak: of the outlook,
/// unless the request says it; where the two differ, a note of the history says so.
void follow_mean_load(std::span<const DemandOutlook> outlooks, DemandHistory* demand,
                      ForecastRequest* request);

}  // namespace plimsoll
