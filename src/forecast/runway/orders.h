// Orders for the rows that instances carry are of GPUs, of which the plan knows how many;
// when, follows from the same paths and the same risk. So an order that was carried out is enough
// when the same demand is looked at again.
#pragma once

#include <span>
#include <vector>

#include "forecast/demand/forecast_request.h"
#include "forecast/headroom/levers.h"
#include "forecast/runway/gpu_plan.h"
#include "forecast/runway/sheet.h"

namespace plimsoll {

/// Dates the order of the sheet's GPU plan, and leaves the rows of its `loads` (loads_of()) without
/// one where the plan adds none. Nothing, where there is no plan.
void settle_orders(const ForecastRequest& request, std::span<const LoadAhead> loads,
                   RunwaySheet* sheet);

/// Finds how long each lever would do. `now_held`: how many forecasts are held without any.
void date_levers(std::span<const LoadAhead> loads, double now_held,
                 std::vector<LeverResult>* levers);

}  // namespace plimsoll
