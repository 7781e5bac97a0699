// The demand that the file of a history has, on these routes.
#pragma once

#include <vector>

#include "forecast/runway/demand_history.h"

namespace plimsoll {

inline Result<DemandHistory> read_demand(const HistoryRequest& request,
                                         const std::vector<Route>& routes) {
  TRY(past, read_past(request));
  return demand_of_past(past, request.path, routes);
}

}  // namespace plimsoll
