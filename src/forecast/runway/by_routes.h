// The demand of routes that grow unlike each other: a route that stays as it is and one that grows
// add up to what no method continues, and each of them is simple. So a total is forecast route by
// route where that would clearly have foretold the last part of the history better.
#pragma once

#include <optional>

#include "base/result.h"
#include "forecast/outlook/outlook.h"
#include "forecast/runway/demand_history.h"

namespace plimsoll {

/// Of a column: of its total, or the sum of its routes, each continued on its own.
Result<Outlook> look_ahead(const DemandHistory& demand, const DemandColumn& column,
                           const OutlookOptions& options);

}  // namespace plimsoll
