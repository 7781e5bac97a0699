// What might happen: changes to the routes and to what serves them, as data. Which pressure a
// scenario moves where is computed from the demand before and after it (forecast/headroom.h), never
// written down here.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "forecast/resource.h"
#include "forecast/route.h"

namespace plimsoll {

/// A number of a route that a scenario may change.
struct RouteField {
  std::string_view name;  ///< key in specifications
  double Route::*member;
  double most;       ///< that it may be
  double least = 0;  ///< in a route; a scenario may go below
};

const std::vector<RouteField>& route_fields();

/// A share of the requests of each route, of another shape.
struct Cohort {
  double share = 0;
  double prompt_factor = 1;
  double output_factor = 1;
};

/// A share of the requests of each route that another one gets, with their prompts.
struct Shift {
  std::string to;
  double share = 0;
};

/// Clients that send again what was not answered in time: how many that are is found by simulation.
struct RetryRule {
  std::int64_t attempts = 3;
  double timeout_s = 30;
};

/// Factors of 1, zeros, and what is absent change nothing.
struct Change {
  std::vector<std::string> routes;  ///< that it is about; empty: all
  std::vector<std::pair<double Route::*, double>> set;
  std::vector<std::pair<double Route::*, double>> times;
  std::optional<Cohort> cohort;
  std::optional<Shift> shift;
  std::optional<RetryRule> retries;
  std::int64_t instances = 0;           ///< more of them, or fewer
  std::map<Resource, double> capacity;  ///< factors of what is given
  double batch_window_ms = 0;           ///< that requests wait for others before they are sent on
  double price = 1;                     ///< factor, of GPUs and providers
};

struct Scenario {
  std::string name;
  std::string about;           ///< one line
  bool from_baseline = false;  ///< else it happens to the forecast
  std::vector<Change> changes;
};

/// Those that apply to any product, in the order of a review. The shift to the strong model needs a
/// route that others fall back to.
std::vector<Scenario> built_in_scenarios(const std::vector<Route>& routes);

/// The routes after all changes. Values are set first, then multiplied, then shares of them moved,
/// so that the order of changes matters only between two that set the same value.
std::vector<Route> changed(std::vector<Route> routes, const std::vector<Change>& changes);

}  // namespace plimsoll
