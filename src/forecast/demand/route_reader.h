// Reads what the routes of a forecast send, now and then; notes all errors in the file. Called by
// forecast/demand/forecast_request.h.
#pragma once

#include <vector>

#include "forecast/demand/route.h"
#include "spec/spec_file.h"

namespace plimsoll {

/// `map`: from names to routes. A number, or a length, stands for now and then, unless it is said
/// for each: {baseline: 10, forecast: 20}.
void read_routes(SpecMap map, std::vector<Route>* baseline, std::vector<Route>* forecast);

}  // namespace plimsoll
