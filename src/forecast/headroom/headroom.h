// Finds the headroom sheet: demand by arithmetic, load lines and peaks by simulation
// (forecast/headroom/situation.h), what scenarios move by comparing before and after.
#pragma once

#include <optional>
#include <vector>

#include "base/result.h"
#include "forecast/demand/forecast_request.h"
#include "forecast/headroom/sheet.h"
#include "forecast/headroom/situation.h"
#include "forecast/headroom/supply.h"

namespace plimsoll {

/// `served`: none where every capacity is given. Searches run several at a time; what they find
/// does not depend on it.
Result<HeadroomSheet> find_headroom(const ForecastRequest& request,
                                    const std::optional<Served>& served,
                                    const Execution& execution);

/// How many requests of a route are under way at once, by Little's law (1961). How long requests
/// stay is seen in the simulated peak, or where that is not held in the largest load that is: on
/// the average until the first token, and then a gap for each token of the route's own answers;
/// without a simulation, the route says it. Without those of which neither tells.
std::vector<RouteConcurrency> concurrency_of(const Situation& peak);

}  // namespace plimsoll
