// The rows of routes added up: what the deployment feels, and what providers are asked for. Called
// where demand is read (forecast/runway/demand_history.h).
#pragma once

#include <array>
#include <string_view>
#include <vector>

#include "forecast/demand/resource.h"
#include "forecast/demand/route.h"
#include "forecast/history/history.h"

namespace plimsoll {

/// A column of counts per step, and the resource that they are as rates.
struct CountColumn {
  std::string_view name;
  Resource resource;
};

inline constexpr std::array<CountColumn, 3> kCountColumns{
    {{"requests", Resource::requests},
     {"prompt_tokens", Resource::prompt_tokens},
     {"output_tokens", Resource::output_tokens}}};

/// Providers count what they have in a cache, too. Of several providers each has a series of its
/// own besides that of all, with its name as the `route`: each has limits of its own.
History without_routes(const History& history, const std::vector<Route>& routes);

}  // namespace plimsoll
