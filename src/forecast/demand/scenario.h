// The events that might happen: changes to the routes and to what serves them, as data. Which
// pressure a scenario moves where is computed from the demand before and after it
// (forecast/headroom/headroom.h), never written down here.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "forecast/demand/resource.h"
#include "forecast/demand/route.h"
#include "spec/spec_file.h"

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
  friend bool operator==(const Cohort&, const Cohort&) = default;
};

/// A share of the requests of each route that another one gets, with their prompts.
struct Shift {
  std::string to;
  double share = 0;
  friend bool operator==(const Shift&, const Shift&) = default;
};

/// Another region fails, and what came there comes here, too.
struct RegionFailover {
  double share = 1;                   ///< its requests, as a share of those of all routes here
  std::map<std::string, double> mix;  ///< of them, by route; adds up to 1; empty: as here
  friend bool operator==(const RegionFailover&, const RegionFailover&) = default;
};

/// Clients that send again what was not answered in time: how many that are is found by simulation.
struct RetryRule {
  std::int64_t attempts = 3;
  double timeout_s = 30;
  friend bool operator==(const RetryRule&, const RetryRule&) = default;
};

/// Factors of 1, zeros, and what is absent change nothing.
struct Change {
  std::vector<std::string> routes{};  ///< that it is about; empty: all
  std::vector<std::pair<double Route::*, double>> set{};
  std::vector<std::pair<double Route::*, double>> times{};
  double retry_share = 0;  ///< of the attempts, those of the route included, sent once more
  std::optional<RegionFailover> failover{};
  std::optional<Cohort> cohort{};
  std::optional<Shift> shift{};
  std::optional<RetryRule> retries{};
  std::int64_t instances = 0;             ///< more of them, or fewer
  std::map<Resource, double> capacity{};  ///< factors of what is given
  double batch_window_ms = 0;             ///< that requests wait for others before they are sent on
  double price = 1;                       ///< factor, of GPUs and providers
  friend bool operator==(const Change&, const Change&) = default;
};

struct Scenario {
  std::string name;
  std::string about;           ///< one line
  bool from_baseline = false;  ///< else it happens to the forecast
  std::vector<Change> changes{};
  /// Of a busy hour, which is a part of the forecast and no event:
  /// what comes then. Empty of any other.
  std::vector<Route> hour{};
};

/// The cohort of a scenario in which nothing else comes; null of any other.
const Cohort* cohort_of(const Scenario& scenario);

/// How clients try again; null if they do not. There is one rule at most (combined_changes()).
const RetryRule* retries_of(const Scenario& scenario);

/// Those that apply to any product, in the order of a review. The shift to the strong model needs a
/// route that others fall back to.
std::vector<Scenario> built_in_scenarios(const std::vector<Route>& routes);

/// The routes after all changes. Values are set first, then multiplied, then retries and other
/// regions' requests are added, then cohorts are taken, then requests moved: the order of changes
/// matters only between two that set the same value, of which the last counts. A cohort, and what
/// is moved to another route, are routes of their own, named like the one they belong to.
std::vector<Route> changed(std::vector<Route> routes, const std::vector<Change>& changes);

/// A route of which cohorts, or moves to other routes, take more than all requests.
std::optional<std::string> overdrawn(const Scenario& scenario, const std::vector<Route>& routes);

// Scenarios that happen together. Factors, shares, instances and waits of all of them count; of a
// value that is set, and of a rule by which clients try again, there can only be one.

/// The changes of the parts, then `own`, of the scenario that combines them and has the last word.
/// An error is what two parts say differently and `own` does not settle.
Result<std::vector<Change>> combined_changes(const std::vector<const Scenario*>& parts, Change own,
                                             const std::vector<std::string>& routes);

// The scenarios of a forecast's file: built-in ones by name, and those that it describes itself.

/// A map of scenarios by name:
///
///   built_in: [cache-collapse, instance-loss]    # absent: none of them
///   Friday: {times: {requests_per_s: 1.4}, set: {cached_share: 0.1}}
///   worst case: {combine: [Friday, instance-loss]}
///
/// Errors are noted in the map.
std::vector<Scenario> read_scenarios(SpecMap map, const std::vector<Route>& routes);

}  // namespace plimsoll
