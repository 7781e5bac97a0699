// Known events and seats, laid on the steps of a history and of what lies ahead.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "forecast/demand/forecast_request.h"
#include "forecast/history/history.h"
#include "forecast/outlook/past.h"

namespace plimsoll {

/// For `horizon` steps ahead. An error where the history has no dates, or an event lies where
/// neither the history nor the request tells its size; it names the event.
Result<KnownDemand> known_demand(const HistoryRequest& request, const History& history,
                                 std::size_t horizon);

/// A sentence for each; `until_s` is where the forecast ends.
std::vector<std::string> notes_of(const HistoryRequest& request, const History& history,
                                  double until_s);

}  // namespace plimsoll
