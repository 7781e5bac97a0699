// Finds the headroom sheet: demand by arithmetic, load lines and peaks by simulation
// (forecast/headroom/situation.h), what scenarios move by comparing before and after.
#pragma once

#include <optional>

#include "base/result.h"
#include "forecast/demand/forecast_request.h"
#include "forecast/headroom/sheet.h"
#include "forecast/headroom/supply.h"

namespace plimsoll {

/// `served`: none where every capacity is given. Searches run several at a time; what they find
/// does not depend on it.
Result<HeadroomSheet> find_headroom(const ForecastRequest& request,
                                    const std::optional<Served>& served,
                                    const Execution& execution);

}  // namespace plimsoll
