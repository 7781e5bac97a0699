// The routes of a forecast that states none: what a history counts of requests and tokens, each
// route of its file as one, with its mean rate and its mean lengths. Only their proportions last:
// continue_routes() (forecast/runway/demand_growth.h) scales them to the demand of the history.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "forecast/demand/forecast_request.h"
#include "forecast/history/history.h"

namespace plimsoll {

/// One route, "all", where the file does not tell routes apart. A spec error if the history counts
/// no requests, or lacks the tokens of prompts or answers. `path`: for messages.
Result<std::vector<Route>> counted_routes(const History& history, const std::string& path);

/// What that takes for granted, for a request whose routes are counted ones.
std::string note_on_counted_routes(const ForecastRequest& request);

}  // namespace plimsoll
