#include "forecast/runway/demand_growth.h"

#include <algorithm>
#include <cmath>

#include "base/lists.h"
#include "forecast/demand/token_load.h"

namespace plimsoll {
namespace {

constexpr double kFarApart = 0.25;  // of lengths
constexpr double kAlike = 0.05;     // two hours that differ by less are one

constexpr Resource kLoads[]{Resource::requests, Resource::prompt_tokens, Resource::output_tokens};

struct BusyHour {
  Resource peak;
  std::vector<Route> routes;
};

double load_of(const std::vector<Route>& routes, Resource resource) {
  return at(demand_of(served_flows(flows_of(routes))), resource).value_or(0);
}

// By how much a load differs, whichever is larger.
double apart(double one, double other) {
  return std::fmin(one, other) > 0 ? std::fmax(one / other, other / one) - 1 : 0;
}

double lengths_apart(const std::vector<Route>& hour, const std::vector<Route>& sheet) {
  const double hourly = load_of(hour, Resource::requests);
  const double requests = load_of(sheet, Resource::requests);
  double most = 0;
  for (const Resource tokens : {Resource::prompt_tokens, Resource::output_tokens}) {
    most =
        std::fmax(most, apart(load_of(hour, tokens) / hourly, load_of(sheet, tokens) / requests));
  }
  return most;
}

bool are_alike(const BusyHour& one, const BusyHour& other) {
  return std::ranges::all_of(kLoads, [&](Resource load) {
    return apart(load_of(one.routes, load), load_of(other.routes, load)) < kAlike;
  });
}

// Those that the deployment answers, as the history has them when it is busiest with a resource, as
// many as bring the peak of it; empty where the history does not tell.
Result<std::vector<Route>> routes_when_busy(const std::vector<RouteSeries>& series,
                                            const DemandHistory& demand,
                                            const DemandOutlook& growth,
                                            std::vector<Route> routes) {
  const std::size_t present = present_of(growth.outlook).size();
  const std::span usual(growth.outlook.usual);
  Busyness busyness{{usual.end() - static_cast<std::ptrdiff_t>(present), usual.end()},
                    growth.outlook.point};
  TRY(outlooks, look_ahead(series, demand.history, busyness));
  follow(outlooks, &RouteOutlook::ahead, &routes);
  const double then = load_of(routes, growth.resource);
  if (then <= 0) return std::vector<Route>{};
  for (Route& route : routes) route.requests_per_s *= growth.peak[kMedianBand] / then;
  return routes;
}

Scenario scenario_of(const BusyHour& hour, std::vector<Route> others) {
  const std::string title(facts_of(hour.peak).title);
  others.insert(others.begin(), hour.routes.begin(), hour.routes.end());
  return {.name = "peak of " + title,
          .about = "the time at which the forecast has most " + title +
                   ", with the requests and lengths of that time",
          .hour = std::move(others)};
}

}  // namespace

Result<void> add_busy_hours(const History& past, const DemandHistory& demand,
                            std::span<const DemandOutlook> outlooks, ForecastRequest* request) {
  const auto is_bought = [](const Route& route) { return route.from_provider; };
  std::vector<Route> served = request->forecast;
  std::vector<Route> others;
  std::ranges::copy_if(served, std::back_inserter(others), is_bought);
  std::erase_if(served, is_bought);
  std::vector<BusyHour> hours;
  for (const Resource resource : kLoads) {
    const DemandOutlook* growth = find_outlook(outlooks, resource);
    if (growth == nullptr || growth->peak[kMedianBand] <= 0 || served.empty()) return {};
    const std::vector<RouteSeries> series =
        series_when_busy(past, demand.history, mapped(others, &Route::name), resource);
    if (series.empty()) return {};
    TRY(routes, routes_when_busy(series, demand, *growth, served));
    if (routes.empty()) return {};
    hours.push_back({resource, std::move(routes)});
  }
  const bool are_apart = std::ranges::any_of(hours, [&](const BusyHour& hour) {
    return lengths_apart(hour.routes, request->forecast) > kFarApart;
  });
  if (!are_apart) return {};
  for (auto hour = hours.begin(); hour != hours.end(); ++hour) {
    const bool is_known = std::any_of(
        hours.begin(), hour, [&](const BusyHour& known) { return are_alike(known, *hour); });
    if (!is_known) request->scenarios.push_back(scenario_of(*hour, others));
  }
  return {};
}

}  // namespace plimsoll
