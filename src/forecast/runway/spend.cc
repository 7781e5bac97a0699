#include "forecast/runway/spend.h"

#include <algorithm>
#include <cmath>
#include <functional>

#include <fmt/format.h>

#include "base/lists.h"
#include "base/text.h"
#include "forecast/headroom/money.h"
#include "forecast/outlook/notes.h"
#include "forecast/runway/bill.h"
#include "stats/average.h"

namespace plimsoll {
namespace {

// Of one route; with an empty name, of all.
double usd_of(const ForecastRequest& request, const std::vector<Route>& routes,
              const std::string& route = {}) {
  std::vector<Flow> flows = flows_of(routes);
  if (!route.empty()) std::erase_if(flows, [&](const Flow& f) { return f.origin != route; });
  return provider_usd_at_peak(request, flows).value_or(0);
}

/// What providers would be paid for a month at the rates of each window; by route where the history
/// tells routes apart, else of all of them.
std::vector<HistorySeries> usd_by_window(const ForecastRequest& request,
                                         const DemandHistory& demand, const DemandOutlook& paid) {
  const std::string name(facts_of(Resource::budget).name);
  const std::size_t windows = demand.means.attempts.size();
  if (windows == 0) {
    // The file has no requests of routes: in proportion to what there is.
    HistorySeries all{name, "", demand.find(paid.resource)->values};
    const double each = usd_of(request, request.forecast) * request.mean_load /
                        std::max(1e-300, dearest_month(paid.outlook)[kMedianBand]);
    for (double& value : all.values) value *= each;
    return {all};
  }
  std::vector<HistorySeries> usd;
  for (const RouteSeries& series : demand.means.series) {
    if (!contains(usd, series.route, &HistorySeries::route))
      usd.push_back({name, series.route, {}});
  }
  if (usd.empty()) usd.push_back({name, "", {}});
  for (std::size_t i = 0; i < windows; ++i) {
    const std::vector<Route> then = routes_in(demand.means, i, request.baseline);
    for (HistorySeries& route : usd) route.values.push_back(usd_of(request, then, route.route));
  }
  std::erase_if(usd, [](const HistorySeries& route) {
    return std::ranges::all_of(route.values, [](double value) { return value <= 0; });
  });
  return usd;
}

std::vector<double> operator+(std::vector<double> sum, const std::vector<double>& more) {
  std::ranges::transform(sum, more, sum.begin(), std::plus{});
  return sum;
}

/// Adds what one route costs.
void add(const Spend& route, Spend* sum) {
  sum->past = sum->past + route.past;
  sum->now += route.now;
  sum->ahead.usual.clear();
  add_path_by_path(route.ahead, &sum->ahead);
}

/// What a route costs in the present, and in its dearest month to come.
struct RouteSpend {
  std::string route;
  double now = 0;
  double month = 0;
};

/// Each route is continued on its own: a sum of routes that grow at rates of their own grows at no
/// rate that any method continues. None where nothing was paid.
Result<std::optional<Spend>> look_ahead(const std::vector<HistorySeries>& usd,
                                        const ForecastRequest& request, const DemandHistory& demand,
                                        std::vector<RouteSpend>* by_route) {
  TRY(options, outlook_options(request.history, demand.history));
  std::optional<Spend> spend;
  std::vector<NotesOn> notes;
  for (const HistorySeries& series : usd) {
    TRY(ahead, look_ahead(demand.history, series, options));
    notes.push_back({"bill of " + series.route, ahead.notes});
    const auto present = present_of(ahead);
    const double now = mean_of(present);
    by_route->push_back({series.route, now, dearest_month(ahead)[kMedianBand]});
    Spend route{series.values, now, std::move(ahead)};
    if (spend) {
      add(route, &*spend);
    } else {
      spend = std::move(route);
    }
  }
  if (spend) spend->ahead.notes = told_apart(notes);
  return spend;
}

// So that the routes of `routes` add up to `all`: their months need not be the same, and what is
// silent at the peak is paid for with the others.
void set_paid_loads(const std::vector<RouteSpend>& by_route, double RouteSpend::*spent, double all,
                    const ForecastRequest& request, const std::vector<Route>& routes,
                    std::map<std::string, double>* loads) {
  double told = 0;
  for (const RouteSpend& each : by_route)
    if (usd_of(request, routes, each.route) > 0) told += each.*spent;
  if (!(told > 0)) return;
  for (const RouteSpend& each : by_route) {
    const double at_peak = usd_of(request, routes, each.route);
    if (at_peak > 0) (*loads)[each.route] = each.*spent * all / told / at_peak;
  }
}

}  // namespace

Result<void> follow_spend(std::span<const DemandOutlook> outlooks, bool is_stated,
                          DemandHistory* demand, ForecastRequest* request) {
  const DemandOutlook* paid = paid_of(outlooks);
  const double at_peak = usd_of(*request, request->forecast);
  if (paid == nullptr || at_peak <= 0) return {};
  std::vector<RouteSpend> by_route;
  TRY(found, look_ahead(usd_by_window(*request, *demand, *paid), *request, *demand, &by_route));
  if (!found) return {};
  Spend& spend = *found;
  const double month = dearest_month(spend.ahead)[kMedianBand];
  if (month <= 0) return {};
  const double now_at_peak = usd_of(*request, request->baseline);
  if (request->says_mean_load || is_stated) {
    const bool says_now = request->says_mean_load && spend.now > 0;
    const double now = says_now ? now_at_peak * request->mean_load / spend.now : 1;
    const double then = at_peak * request->mean_load / month;
    spend.ahead = in_proportion(std::move(spend.ahead), now, then);
    for (double& value : spend.past) value *= now;
  } else {
    set_paid_loads(by_route, &RouteSpend::month, month, *request, request->forecast,
                   &request->paid_load);
    set_paid_loads(by_route, &RouteSpend::now, spend.now, *request, request->baseline,
                   &request->paid_load_now);
    demand->history.notes.push_back("providers are paid for the mean load of a month, " +
                                    percent(month / at_peak) + " of the highest demand ahead");
  }
  const BandQuantiles band = dearest_month(spend.ahead);
  request->bands[Resource::budget] = {band.front() / band[kMedianBand],
                                      band.back() / band[kMedianBand]};
  demand->spend = std::move(spend);
  return {};
}

void follow_mean_load(std::span<const DemandOutlook> outlooks, DemandHistory* demand,
                      ForecastRequest* request) {
  const DemandOutlook* ahead = paid_of(outlooks);
  if (!demand->mean_of_windows || ahead == nullptr) return;
  double peak = 0;  // of each provider, as the sheet has them
  for (const DemandOutlook* part : outlooks_of(outlooks, ahead->resource))
    peak += part->peak[kMedianBand];
  if (peak <= 0) return;
  const double mean = *demand->mean_of_windows * dearest_month(ahead->outlook)[kMedianBand];
  const double load = std::clamp(mean / peak, 1e-9, 1.0);
  const bool any_paid = std::ranges::any_of(request->forecast, &Route::from_provider);
  if (request->says_mean_load) {
    constexpr double kApart = 0.1;
    if (any_paid && std::fabs(request->mean_load / load - 1) > kApart)
      demand->history.notes.push_back(fmt::format(
          "providers are paid for \"mean_load\", {} of the highest demand ahead, and the history "
          "says {}: leave \"mean_load\" out if its rows are means",
          percent(request->mean_load), percent(load)));
    return;
  }
  request->mean_load = load;
}

}  // namespace plimsoll
