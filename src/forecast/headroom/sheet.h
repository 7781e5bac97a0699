// The headroom sheet as data: what is asked of each resource, what there is of it, what that
// leaves and which runs out first (binding_of); then the same under each scenario. Found by
// forecast/headroom/headroom.h, printed by report/forecast/forecast.h.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "forecast/demand/resource.h"
#include "forecast/headroom/money.h"
#include "forecast/headroom/provider_limits.h"
#include "forecast/headroom/servable.h"
#include "forecast/headroom/supply.h"

namespace plimsoll {

/// Where a number comes from.
enum class Provenance { given, routes, simulated, deployed, history };

std::string_view name_of(Provenance provenance);

struct SheetRow {
  Resource resource = Resource::requests;
  std::optional<double> baseline_p95;
  std::optional<double> forecast_p95;
  std::optional<Interval> forecast_band;
  std::optional<double> capacity;
  std::optional<Interval> capacity_interval;
  /// Of today's mix, where simulations found it and the forecast has another mix.
  std::optional<double> capacity_now;
  Provenance demand_from = Provenance::routes;
  Provenance capacity_from = Provenance::given;
  std::string owner;
  /// The share of requests that do not fit the context window, however long the others are; none:
  /// too few.
  std::optional<double> refused_share;

  /// The utilisation by the forecast; none where demand or capacity is not known. Infinite where
  /// there is none.
  std::optional<double> utilisation() const;
  std::optional<double> headroom() const;  ///< capacity - forecast
  std::optional<Risk> risk() const;
};

/// The whole of a demand, simulated.
struct PeakCheck {
  LoadProbe probe;
  Line line;  ///< how many times that demand is held
  /// The same with all of the model's error, that of waits for a first token too. Of the forecast
  /// it was searched (forecast/headroom/simulated.h).
  std::optional<Interval> judged = {};

  Interval held() const { return judged.value_or(line.interval); }
  /// The line of another load, or with a lever, where that error reaches as far as for this one.
  Interval judged_as(const Line& other) const;
};

/// The share of the requests of a peak that exceed the context window; none where they are less
/// than a thousandth.
std::optional<double> refused_share(const PeakCheck& peak);

/// The number at which to go back on a scenario (forecast/headroom/trigger.h).
struct Trigger {
  std::string metric;      ///< key of a resource, "cached_share", or of a limit: "ttft_p99_ms"
  std::string title;       ///< for people
  std::string unit;        ///< of a resource, "share" or "ms"
  double value = 0;        ///< to go back above it
  bool is_floor = false;   ///< below it instead
  bool is_passed = false;  ///< without the scenario, too, which is more than there is
  /// More comes without the scenario, and is held: of the mix or the instances that it leaves, this
  /// is the line, and of no others.
  bool only_in_scenario = false;
};

struct ScenarioRow {
  std::string name;
  std::string about;
  ResourceVector demand{};
  ResourceVector capacity{};
  std::vector<Resource> better;  ///< than in what it happens to, the most first
  std::vector<Resource> worse;
  std::optional<Resource> binding;
  std::optional<Risk> risk;       ///< of the binding resource
  std::string problem;            ///< why it cannot be simulated; empty where it can be
  bool is_outage = false;         ///< nothing is left that serves
  std::optional<PeakCheck> peak;  ///< none without a deployment
  double attempts = 1;            ///< per request, where clients try again
  std::int64_t instances = 0;     ///< that are left where some are lost; 0: all
  bool is_as_forecast = false;    ///< nothing that is used differs from it
  bool is_busy_hour = false;      ///< comes with the forecast itself
  bool lowers_limits = false;     ///< of what is given
  bool is_decided = true;  ///< by those who read it, and can be taken back: no loss, no price
  std::string owner;       ///< of what is pressed
  std::optional<Trigger> trigger;

  /// The resource that runs out; else what grows most; what is used most where nothing grows.
  std::optional<Resource> pressed() const;
  /// The share of a resource that is used; none where demand or capacity is not known.
  std::optional<double> used(Resource resource) const;
};

/// Demand as a share of capacity; infinite where there is none of what is asked for.
std::optional<double> used_share(const std::optional<double>& demand,
                                 const std::optional<double>& capacity);

/// How far something can go before a limit breaks.
struct Spare {
  std::optional<double> share;         ///< infinite: nothing breaks; none: no test could tell
  std::optional<Resource> runs_out{};  ///< beyond, of what is given
  std::optional<LoadProbe> beyond{};   ///< else the test that breaks a limit
};

/// A route that fails, and the one that its requests fall back to.
struct FallbackSpare {
  std::string route;
  std::string to;
  double requests_per_s = 0;  ///< of the route, that come to the other one
  Spare spare;                ///< of a whole failure: the share of them that is taken, 1 at most
  Spare partial;  ///< of a failure of a part of them while the rest is answered as before: how many
};

/// The answers that a review asks for besides: how many requests may be sent once more, and what a
/// fallback takes.
struct ReviewAnswers {
  Spare retries;  ///< share of all requests
  std::vector<FallbackSpare> fallbacks;
  /// Prompt tokens/s of the forecast if nothing were found in the prefix cache; none where nothing
  /// is found anyway.
  std::optional<double> cold_prompt_tokens_per_s;
  /// How much more providers would cost a month; none where they ask the same for cached tokens.
  std::optional<double> cold_add_usd_per_month;
};

/// How many requests a route answers at once.
struct RouteConcurrency {
  std::string route;
  double requests = 0;  ///< on the average of the peak, those that fall back to it included
};

struct HeadroomSheet {
  std::vector<SheetRow> rows;
  std::optional<Resource> binding;  ///< what runs out first
  std::optional<PeakCheck> baseline;
  std::optional<PeakCheck> forecast;
  /// That hold the forecast with steps as long as the model's error allows; none: nobody asked, or
  /// no number does.
  std::optional<double> gpus_at_slow_end;
  bool mix_changes = false;  ///< the forecast is no multiple of the baseline
  std::vector<ScenarioRow> scenarios;
  std::vector<RouteServable> too_long;  ///< routes with requests that are refused as such
  std::vector<RouteCost> costs;
  std::vector<RouteConcurrency> concurrency;
  std::vector<ProviderRow> providers;
  ReviewAnswers review;
  /// The share of what the prompts of sessions repeat that the cache finds at the peak.
  double session_hits = 1;
  bool interrupted = false;

  /// The busy hour of which the smallest multiple is handled; null where none was simulated.
  const ScenarioRow* hardest_hour() const;

  /// Null: it is not a resource of this forecast.
  const SheetRow* row_of(Resource resource) const;
};

/// The cached share of the prompts of a route: as stated, or as the peak shows of its sessions.
double cached_share_of(const HeadroomSheet& headroom, const Route& route);
/// The routes with that share.
std::vector<Route> as_seen(const HeadroomSheet& headroom, std::vector<Route> routes);

/// Something that levers can change is used by more than 80 %: the deployment as a whole, GPUs, or
/// money. The sheet has a simulated forecast.
bool is_tight(const HeadroomSheet& headroom);

/// Simulated, and no number of GPUs tested handles the forecast at the slow end of the model's
/// error.
bool is_uncovered(const HeadroomSheet& headroom);

/// The resource with the largest utilisation; but the wait only where nothing else is short,
/// because it is what grows when another line is crossed; and requests that do not fit are what
/// everything else follows from.
std::optional<Resource> binding_of(const ResourceVector& used);

}  // namespace plimsoll
