// How many requests of a route are under way at once. Called by forecast/headroom/headroom.h.
#pragma once

#include <vector>

#include "forecast/headroom/sheet.h"
#include "forecast/headroom/situation.h"

namespace plimsoll {

/// By Little's law (1961). How long requests stay is seen in the simulated peak, or where that is
/// not held in the largest load that is: on the average until the first token, and then a gap for
/// each token of the route's own answers; without a simulation, the route says it. Without those of
/// which neither tells.
std::vector<RouteConcurrency> concurrency_of(const Situation& peak);

}  // namespace plimsoll
