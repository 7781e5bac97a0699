// GPUs and dollars ahead, of a deployment: on each path as many whole GPUs as its load needs by the
// GPU plan, those deployed at least, which stand there whatever comes; and what they cost, with
// what providers charge beside them. And the orders for the rows that instances carry: they are of
// GPUs, of which the plan knows how many; when, follows from the same paths and the same risk, so
// that an order that was carried out is enough when the same demand is looked at again. Called once
// the plan is known.
#pragma once

#include <span>
#include <vector>

#include "forecast/demand/forecast_request.h"
#include "forecast/headroom/levers.h"
#include "forecast/headroom/supply.h"
#include "forecast/runway/demand_growth.h"
#include "forecast/runway/gpu_plan.h"
#include "forecast/runway/sheet.h"

namespace plimsoll {

/// Of those resources that the sheet of headroom has a capacity of. Empty where the plan is not
/// known. `sheet`: with the plan that was made of `loads`.
std::vector<RunwayRow> gpu_rows(const ForecastRequest& request, const DemandHistory& history,
                                std::span<const DemandOutlook> outlooks,
                                const HeadroomSheet& headroom, const Served& served,
                                std::span<const LoadAhead> loads, const RunwaySheet& sheet);

/// Dates the order of the sheet's GPU plan, and leaves the rows of its `loads` (loads_of()) without
/// one where the plan adds none. Nothing, where there is no plan.
void settle_orders(const ForecastRequest& request, std::span<const LoadAhead> loads,
                   RunwaySheet* sheet);

/// Finds how long each lever would do. `now_held`: how many forecasts are held without any.
void date_levers(std::span<const LoadAhead> loads, double now_held,
                 std::vector<LeverResult>* levers);

}  // namespace plimsoll
