// The request of a forecast: the routes now and then, what serves them, what is given of each
// resource, and the scenarios to look at. Read from a file (docs/how-to/forecasting.md).
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "forecast/demand/resource.h"
#include "forecast/demand/route.h"
#include "forecast/demand/scenario.h"
#include "forecast/demand/token_load.h"
#include "planner/slo.h"
#include "spec/spec_file.h"
#include "stats/batch_means.h"
#include "workload/trace_formats.h"

namespace plimsoll {

// The history of a forecast's request: which file, how it is read, how far ahead to look, and what
// people know of demand that no file shows.

// The knowledge of people about demand that a history does not tell, from `history:` of a forecast:
// a launch with its date, a promotion that shall teach no method anything, how many seats are sold.

/// With `times`, demand is so many times as much; of an event that lies in the past without it, the
/// history tells the size of the new level, or with `until` the days are left out.
struct KnownEvent {
  std::string name;
  double from_s = 0;              ///< seconds since 1970; by the clock of the history if `by_clock`
  std::optional<double> until_s;  ///< none: for good
  std::optional<double> times;    ///< > 0
  double ramp_s = 0;              ///< from `from_s` to all of it
  bool by_clock = false;          ///< no zone was written
};

/// How many seats there are, or will be: on straight lines between moments, level outside them.
struct Seats {
  double time_s = 0;
  double count = 1;  ///< > 0
};

struct HistoryRequest {
  std::string path;                   ///< empty: no history
  std::optional<TraceFormat> format;  ///< of a trace, counted by windows of step_s; none: a series
  double step_s = 60;
  std::string zone;               ///< of times without one, as HistoryOptions have it
  std::optional<double> as_of_s;  ///< from when on orders can be placed; none: the history's end
  double horizon_days = 28;
  double lead_time_days = 0;  ///< from an order to GPUs that stand there
  double cold_start_s = 300;  ///< from GPUs to an instance that answers
  bool fill_gaps = false;
  std::vector<std::pair<std::string, std::string>> columns;  ///< as HistoryOptions has them
  std::string route_label;
  std::vector<KnownEvent> events;
  std::vector<Seats> seats;  ///< empty: not known
};

/// A date, or a moment; without a zone in UTC. Seconds since 1970; none where the key is absent.
std::optional<double> optional_moment(SpecMap* map, const char* key);

/// Errors are noted in the map. `file`: the request that it stands in, whose folder paths are
/// relative to.
HistoryRequest read_history_request(SpecMap map, const std::string& file);

/// The facts about a resource besides what routes and deployment say.
struct GivenResource {
  std::optional<double> baseline;  ///< p95, instead of what the routes ask for
  std::optional<double> forecast;
  std::optional<double> capacity;
  std::string owner;          ///< who answers for it
  bool from_history = false;  ///< demand is that of its own history, and nobody gave it
};

/// Over zones the instances share one router; each region answers its own part of the requests.
enum class LossKind : std::int8_t { instances, zones, regions };

/// So many instances fail at once, or one of so many zones or regions that instances are spread
/// over evenly.
struct Loss {
  LossKind kind = LossKind::instances;
  std::int64_t count = 1;
};

/// The price of a GPU-hour where it is paid for all the time, and where only while it is needed.
struct ReservePrices {
  double reserved_usd = 0;
  std::optional<double> on_demand_usd;  ///< none: as the deployment's
};

/// Another deployment beside today's, which takes over during a ramp.
struct Migration {
  std::string name;
  std::vector<std::string> flags;  ///< that differ from those of the deployment
  std::optional<double> from_s;    ///< when both begin to stand
  double ramp_days = 0;            ///< for which both do
  std::string quality;             ///< what was found out about its answers; empty: nothing
};

struct ForecastRequest {
  std::string file;  ///< it was read from
  std::string name;
  std::vector<Route> baseline;
  std::vector<Route> forecast;       ///< the same routes
  bool routes_from_history = false;  ///< none were stated
  /// How uncertain the forecast's requests are, as factors of them; none: not said.
  std::optional<Interval> band;
  std::map<Resource, Interval> bands;  ///< of what has a history of its own
  std::vector<Slo> slos;
  /// Flags of `plimsoll run` that deploy what serves; none: every capacity is given.
  std::vector<std::string> flags;
  std::map<Resource, GivenResource> given;
  std::vector<Scenario> scenarios;
  TokenLoadOptions load;
  bool says_arrivals = false;  ///< how they come; else as in the trace of the history, if it is one
  bool says_lengths = false;   ///< how widely lengths vary that routes do not say; else the same
  double mean_load = 1;        ///< of a month, as a share of its peak
  bool says_mean_load = false;  ///< else as in the history, if there is one
  /// The charge of providers in a month for what a route sends, as a share of a month at the peak's
  /// mix and load, of the baseline and of the forecast. By route; of an empty name, for all that
  /// are not named; for others as mean_load.
  std::map<std::string, double> paid_load_now;
  std::map<std::string, double> paid_load;
  TokenPrice provider_price;        ///< of what routes call "provider"
  std::vector<Provider> providers;  ///< that routes call by name
  HistoryRequest history;
  std::optional<ReservePrices> reserve;
  std::vector<Migration> migrations;
  std::vector<Loss> losses;  ///< to survive, each on its own

  double load_paid(bool of_baseline, const std::string& route) const {
    const auto& loads = of_baseline ? paid_load_now : paid_load;
    const auto own = loads.find(route);
    const auto all = loads.find("");
    return own != loads.end() ? own->second : all != loads.end() ? all->second : mean_load;
  }

  std::optional<Interval> band_of(Resource resource) const {
    const auto own = bands.find(resource);
    return own == bands.end() ? band : std::optional(own->second);
  }
};

/// As parse_slos() reads them, but none of a class: routes have no class.
Result<std::vector<Slo>> parse_forecast_slos(std::string_view where, std::string_view text);

/// A key that "deployment" may have, or that another verb has: a flag without its dashes.
struct DeploymentKey {
  std::string name;
  bool says_what_serves = true;
  bool names_file = false;  ///< one beside the request, unless its path is absolute
};

/// The routes that a history counts (forecast/runway/counted_routes.h), for a request that states
/// none. An error says what the history lacks.
using RoutesOf = std::function<Result<std::vector<Route>>(const HistoryRequest&)>;

/// All errors of the file at once. Paths in it are relative to its folder. `keys`: all that a
/// "deployment" may have; none: any. `routes_of`: asked where the file has a history and no routes;
/// without it, routes are required.
Result<ForecastRequest> read_forecast_request(const std::string& path,
                                              std::span<const DeploymentKey> keys = {},
                                              const RoutesOf& routes_of = {});
Result<ForecastRequest> parse_forecast_request(const std::string& text, const std::string& file,
                                               std::span<const DeploymentKey> keys = {},
                                               const RoutesOf& routes_of = {});

/// The request that nothing but a history makes, by the name of its file.
Result<ForecastRequest> forecast_of_history(const std::string& path, const RoutesOf& routes_of);

/// Routes that say one thing for now and another for then follow no history.
bool says_what_will_be(const ForecastRequest& request);

}  // namespace plimsoll
