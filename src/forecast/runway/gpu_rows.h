// GPUs and dollars ahead, of a deployment: on each path as many whole GPUs as its load needs by the
// GPU plan, those deployed at least, which stand there whatever comes; and what they cost, with
// what providers charge beside them. Called once the plan is known.
#pragma once

#include <span>
#include <vector>

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

}  // namespace plimsoll
