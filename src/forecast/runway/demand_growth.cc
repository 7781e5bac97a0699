#include "forecast/runway/demand_growth.h"

#include <algorithm>
#include <cmath>

#include "base/lists.h"
#include "base/text.h"
#include "forecast/headroom/provider_limits.h"
#include "forecast/outlook/season.h"

namespace plimsoll {
namespace {

/// A resource that the routes of one side ask for, and what of them decides how much.
struct RoutePart {
  Resource resource;
  std::vector<double Route::*> members;
  bool at_provider = false;
};

// Requests before the tokens that they bring.
const std::vector<RoutePart>& route_parts() {
  static const std::vector<RoutePart> kParts{
      {Resource::requests, {&Route::requests_per_s}},
      {Resource::prompt_tokens, {&Route::prompt_tokens}},
      {Resource::output_tokens, {&Route::output_tokens}},
      {Resource::provider_requests, {&Route::requests_per_s}, true},
      {Resource::provider_tokens, {&Route::prompt_tokens, &Route::output_tokens}, true}};
  return kParts;
}

// `provider`: only what that one answers; empty: all. Of prompts of sessions, what rounds add.
void multiply(const RoutePart& part, const std::string& provider, double factor,
              std::vector<Route>* routes) {
  for (Route& route : *routes) {
    if (route.from_provider != part.at_provider) continue;
    if (!provider.empty() && !route.is_answered_by(provider)) continue;
    std::optional<double> added;
    if (route.sessions && !part.at_provider)
      added = new_tokens_of(*route.sessions, route.prompt_tokens, route.output_tokens);
    for (const auto member : part.members) route.*member *= factor;
    if (added) {
      if (part.resource == Resource::prompt_tokens) *added *= factor;
      route.prompt_tokens = prompt_tokens_of(*route.sessions, *added, route.output_tokens);
    }
    follow_sessions(&route);
  }
}

// So that the sum over all flows is `wanted`; what falls back from the other side stays. The
// factor.
double scale_to(const RoutePart& part, const std::string& provider, double wanted,
                std::vector<Route>* routes) {
  const auto demand = [&](const std::vector<Route>& of) {
    std::vector<Flow> flows = flows_of(of);
    if (!provider.empty()) flows = flows_to(provider, std::move(flows));
    return at(demand_of(flows), part.resource).value_or(0);
  };
  std::vector<Route> others = *routes;
  multiply(part, provider, 0, &others);
  const double rest = demand(others);
  const double own = demand(*routes) - rest;
  if (own <= 0) return 1;
  const double factor = std::max(0.0, wanted - rest) / own;
  multiply(part, provider, factor, routes);
  return factor;
}

// How much of their prompts was found in a cache, where that was counted: whole prompts are known.
const RouteOutlook* cached_share_of(const std::vector<RouteOutlook>& routes) {
  return find_in(routes, RouteFigure::cached_share, &RouteOutlook::figure);
}

// So that whole prompts that the deployment gets add up to `wanted`. The factor.
double scale_whole_prompts(double wanted, std::vector<Route>* routes) {
  double tokens = 0;
  for (const Flow& flow : served_flows(flows_of(*routes)))
    tokens += flow.requests_per_s * flow.prompt_tokens;
  if (tokens <= 0) return 1;
  for (Route& route : *routes) {
    if (!route.from_provider) route.prompt_tokens *= wanted / tokens;
    follow_sessions(&route);
  }
  return wanted / tokens;
}

/// Scales routes to the demand of a part. What has to be computed of sessions the cache decides,
/// not their prompts: where whole prompts were counted, those are continued.
struct Scaling {
  const RoutePart& part;
  const std::string& provider;
  const RouteOutlook* cached;  // of all routes, or of the first one that has it; null: not counted

  double reach(double wanted, double RouteOutlook::*when, std::vector<Route>* routes) const {
    const bool has_sessions =
        std::ranges::any_of(*routes, [](const Route& route) { return route.sessions.has_value(); });
    if (part.resource != Resource::prompt_tokens || !has_sessions || cached == nullptr)
      return scale_to(part, provider, wanted, routes);
    if (!cached->route.empty()) return 1;  // each route has its own
    return scale_whole_prompts(wanted / std::max(1e-3, 1 - cached->*when), routes);
  }
};

// By its share of the most there is, to the end of as many as `sum` has: before it began, nothing
// came.
void add_shares(std::span<const double> values, std::vector<double>* sum) {
  values = values.last(std::min(values.size(), sum->size()));
  const double most = *std::ranges::max_element(values);
  const std::size_t before = sum->size() - values.size();
  for (std::size_t i = 0; i < values.size() && most > 0; ++i)
    (*sum)[before + i] += values[i] / most;
}

Interval band_of(const BandQuantiles& peak) {
  return {peak.front() / peak[kMedianBand], peak.back() / peak[kMedianBand]};
}

// That of the provider whose limit is used most, where providers have limits of their own.
const DemandOutlook& tightest_of(const ForecastRequest& request,
                                 std::span<const DemandOutlook> outlooks, Resource resource) {
  const DemandOutlook* own = nullptr;
  if (const auto limit = tightest_limit(request, flows_of(request.forecast), resource))
    own = find_outlook(outlooks, resource, limit->provider);
  return own != nullptr ? *own : *find_outlook(outlooks, resource);
}

tl::unexpected<Error> nothing_comes(const DemandOutlook& growth, const ForecastRequest& request) {
  const std::string title(facts_of(growth.resource).title);
  if (growth.outlook.has_stopped()) {
    const Outlook& outlook = growth.outlook;
    const std::size_t silent = outlook.usual.size() - outlook.events.shifts.back().at;
    return fail_in(ErrorKind::spec, request.history.path,
                   "the last " + counted(static_cast<std::int64_t>(silent), "value") + " of " +
                       title + " are 0: nothing is left to continue",
                   "if demand comes back, end the history before them; if it does not, there is "
                   "nothing to plan for");
  }
  return fail_in(
      ErrorKind::spec, request.history.path,
      title + (growth.now <= 0 ? " are 0 throughout the history" : " of the history fall to 0"),
      "routes that say another baseline than forecast do not follow it");
}

// A route of which a history by routes says nothing would be scaled to what others send.
Result<void> check_all_told(const std::vector<RouteOutlook>& routes,
                            const ForecastRequest& request) {
  if (routes.empty() || routes.front().route.empty()) return {};
  for (const Route& route : request.forecast) {
    if (contains(routes, route.name, &RouteOutlook::route)) continue;
    return fail(ErrorKind::spec,
                request.history.path + ": the history has no rows of route \"" + route.name + "\"",
                "write 0 where it had no traffic");
  }
  return {};
}

// As what routes say themselves.
Result<void> check_reach(const std::vector<Route>& routes, const ForecastRequest& request) {
  for (const Route& route : routes) {
    for (const RouteField& field : route_fields()) {
      if (route.*field.member <= field.most) continue;
      return fail_in(ErrorKind::spec, request.history.path,
                     "by the history \"" + std::string(field.name) + "\" of route \"" + route.name +
                         "\" becomes " + three_digits(route.*field.member) + ", and at most " +
                         shortest(field.most) + " is possible",
                     "is each column in the unit that its name says?");
    }
  }
  return {};
}

// Totals that peak at different times are simulated as if they did so at once.
void note_stretch(const std::vector<RouteOutlook>& routes, const RoutePart& part, double factor,
                  Outlook* outlook) {
  constexpr double kNoticed = 5e-4;  // what is left is rounding
  const bool has_lengths = part.members.front() != &Route::requests_per_s;
  const bool by_routes = !routes.empty() && !routes.front().route.empty();
  if (!has_lengths || !by_routes || std::fabs(factor - 1) < kNoticed) return;
  outlook->notes.push_back(std::string(facts_of(part.resource).title) +
                           " peak at another time than requests: the sheet takes both peaks at "
                           "once, with lengths " +
                           percent(std::fabs(factor - 1)) + (factor > 1 ? " longer" : " shorter") +
                           " than those of the busiest steps");
}

}  // namespace

Result<OutlookOptions> outlook_options(const HistoryRequest& request, const History& history) {
  OutlookOptions options;
  const double steps = std::ceil(request.horizon_days * kDayS / history.step_s);
  options.horizon = static_cast<std::size_t>(std::clamp(steps, 1.0, 1e9));
  TRY_SET(options.known, known_demand(request, history, options.horizon));
  return options;
}

Result<std::vector<DemandOutlook>> look_ahead(const DemandHistory& demand,
                                              const HistoryRequest& request) {
  TRY(of_demand, outlook_options(request, demand.history));
  std::vector<DemandOutlook> outlooks;
  for (const DemandColumn& column : demand.columns) {
    OutlookOptions options = of_demand;
    if (column.resource == Resource::queue_delay) options.known = {};
    auto outlook = look_ahead(demand, column, options);
    if (!outlook) {
      const Diagnostic& what = outlook.error().diagnostics.front();
      return fail_in(outlook.error().kind, request.path, what.message, what.hint);
    }
    const double until_s = outlook->time_of(outlook->horizon());
    for (std::string& note : notes_of(request, demand.history, until_s))
      outlook->notes.push_back(std::move(note));
    const double now = outlook->has_stopped() ? 0 : *std::ranges::max_element(present_of(*outlook));
    const BandQuantiles peak = outlook->peak();
    outlooks.push_back({column.resource, now, peak, std::move(*outlook), column.provider});
  }
  return outlooks;
}

std::span<const double> present_of(const Outlook& outlook) {
  const std::span usual(outlook.usual);
  const auto last = std::find_if(usual.rbegin(), usual.rend(), [](double v) { return v > 0; });
  const std::size_t pause =
      outlook.has_stopped() ? 1 : static_cast<std::size_t>(last - usual.rbegin()) + 1;
  const std::size_t week = kDaysOfWeek * steps_of_day(outlook.step_s);
  return usual.last(std::min(usual.size(), std::max({outlook.season, week, pause})));
}

std::vector<const DemandOutlook*> outlooks_of(std::span<const DemandOutlook> outlooks,
                                              Resource resource) {
  std::vector<const DemandOutlook*> parts;
  for (const DemandOutlook& each : outlooks) {
    if (each.resource == resource && !each.provider.empty()) parts.push_back(&each);
  }
  if (!parts.empty()) return parts;
  if (const DemandOutlook* all = find_outlook(outlooks, resource)) parts.push_back(all);
  return parts;
}

const DemandOutlook* find_outlook(std::span<const DemandOutlook> outlooks, Resource resource,
                                  std::string_view provider) {
  return find_where(outlooks, [&](const DemandOutlook& each) {
    return each.resource == resource && each.provider == provider;
  });
}

const DemandOutlook* requests_of(std::span<const DemandOutlook> outlooks) {
  const DemandOutlook* requests = find_outlook(outlooks, Resource::requests);
  return requests != nullptr ? requests : find_outlook(outlooks, Resource::provider_requests);
}

const DemandOutlook* paid_of(std::span<const DemandOutlook> outlooks) {
  const DemandOutlook* provider = find_outlook(outlooks, Resource::provider_requests);
  return provider != nullptr ? provider : requests_of(outlooks);
}

Result<std::vector<RouteOutlook>> look_ahead_routes(const DemandHistory& demand,
                                                    std::span<const DemandOutlook> outlooks) {
  const DemandOutlook* requests = requests_of(outlooks);
  if (requests == nullptr) return {};
  const std::size_t present = present_of(requests->outlook).size();
  const bool are_apart =
      std::ranges::any_of(demand.routes, &RouteSeries::at_provider) &&
      std::ranges::any_of(demand.routes, [](const RouteSeries& r) { return !r.at_provider; });
  std::vector<RouteOutlook> all;
  for (const bool at_provider : {false, true}) {
    std::vector<RouteSeries> side = demand.routes;
    std::erase_if(side, [&](const RouteSeries& r) { return r.at_provider != at_provider; });
    if (side.empty()) continue;
    Busyness busyness{std::vector<double>(present),
                      std::vector<double>(requests->outlook.horizon())};
    bool is_forecast = false;
    for (const RoutePart& part : route_parts()) {
      const DemandOutlook* growth = find_outlook(outlooks, part.resource);
      if (growth == nullptr || (are_apart && part.at_provider != at_provider)) continue;
      add_shares(growth->outlook.usual, &busyness.now);
      add_shares(growth->outlook.point, &busyness.ahead);
      is_forecast = true;
    }
    if (!is_forecast) continue;
    TRY(outlooks_of_side, look_ahead(side, demand.history, busyness));
    all.insert(all.end(), outlooks_of_side.begin(), outlooks_of_side.end());
  }
  return all;
}

Result<void> continue_routes(std::span<DemandOutlook> outlooks,
                             const std::vector<RouteOutlook>& routes, ForecastRequest* request) {
  if (says_what_will_be(*request)) {
    for (DemandOutlook& growth : outlooks) {
      growth.outlook.notes.emplace_back(
          "the sheet does not follow the history: routes say one thing for the baseline and "
          "another for the forecast");
    }
    return {};
  }
  if (auto checked = check_all_told(routes, *request); !checked) return checked;
  follow(routes, &RouteOutlook::now, &request->baseline);
  follow(routes, &RouteOutlook::ahead, &request->forecast);
  for (const RoutePart& part : route_parts()) {
    for (const DemandOutlook* growth : outlooks_of(outlooks, part.resource)) {
      const bool is_nothing = growth->now <= 0 || growth->peak[kMedianBand] <= 0;
      if (is_nothing && growth->provider.empty()) return nothing_comes(*growth, *request);
      const Scaling scaling{part, growth->provider, cached_share_of(routes)};
      scaling.reach(growth->now, &RouteOutlook::now, &request->baseline);
      const double factor =
          scaling.reach(growth->peak[kMedianBand], &RouteOutlook::ahead, &request->forecast);
      note_stretch(routes, part, factor,
                   &outlooks[static_cast<std::size_t>(growth - outlooks.data())].outlook);
    }
  }
  TRY_TO(check_reach(request->baseline, *request));
  TRY_TO(check_reach(request->forecast, *request));
  for (const DemandOutlook& growth : outlooks) {
    if (growth.peak[kMedianBand] <= 0 || !growth.provider.empty()) continue;
    const BandQuantiles& tightest = tightest_of(*request, outlooks, growth.resource).peak;
    if (tightest[kMedianBand] > 0) request->bands[growth.resource] = band_of(tightest);
    if (&growth == requests_of(outlooks)) request->band = band_of(growth.peak);
    const bool by_routes = contains(route_parts(), growth.resource, &RoutePart::resource);
    GivenResource& given = request->given[growth.resource];
    if (by_routes || given.forecast) continue;
    given.baseline = growth.now;
    given.forecast = growth.peak[kMedianBand];
    given.from_history = true;
  }
  return {};
}

}  // namespace plimsoll
