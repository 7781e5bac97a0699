// Counts the requests of each route that are short enough to be answered at all: what exceeds the
// context window is refused, however many instances there are, and is of no use to anybody. Counted
// among the very requests that were simulated. Called by forecast/headroom/headroom.h.
#pragma once

#include <string>
#include <vector>

#include "forecast/demand/token_load.h"
#include "forecast/headroom/supply.h"

namespace plimsoll {

struct RouteServable {
  std::string route;
  double share = 1;  ///< of its attempts; what a provider answers counts as servable
};

/// Those of which some are not servable. `peak`: what simulating the flows showed.
std::vector<RouteServable> too_long_by_route(const std::vector<Flow>& flows, const Served& served,
                                             const LoadProbe& peak,
                                             const TokenLoadOptions& options);

/// 1 of a route that is not among them.
double servable_share(const std::vector<RouteServable>& routes, const std::string& route);

}  // namespace plimsoll
