#include "forecast/demand_growth.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace plimsoll {
namespace {

constexpr double kDay = 86'400;
constexpr std::size_t kMedian = 3;  // of kBandPercents
constexpr std::size_t kHighest = 6;

bool says_what_will_be(const ForecastRequest& request) {
  for (std::size_t i = 0; i < request.baseline.size(); ++i) {
    for (const RouteField& field : route_fields()) {
      if (request.baseline[i].*field.member != request.forecast[i].*field.member) return true;
    }
    if (request.baseline[i].prompt_cv != request.forecast[i].prompt_cv ||
        request.baseline[i].output_cv != request.forecast[i].output_cv) {
      return true;
    }
  }
  return false;
}

void multiply(double Route::*member, double factor, std::vector<Route>* routes) {
  for (Route& route : *routes) route.*member *= factor;
}

// So that the sum over the routes is `wanted`.
void scale_to(Resource resource, double Route::*member, double wanted, std::vector<Route>* routes) {
  const auto now = at(demand_of(flows_of(*routes)), resource);
  if (now && *now > 0) multiply(member, wanted / *now, routes);
}

double recent_peak(std::span<const double> values, const Outlook& outlook) {
  const std::size_t span = std::max<std::size_t>(outlook.season, 7);
  return *std::ranges::max_element(values.last(std::min(span, values.size())));
}

Interval band_of(const BandQuantiles& peak) {
  return {peak.front() / peak[kMedian], peak[kHighest] / peak[kMedian]};
}

tl::unexpected<Error> nothing_comes(const DemandOutlook& growth, const ForecastRequest& request) {
  const std::string title(facts_of(growth.resource).title);
  return fail(ErrorKind::spec,
              Diagnostic{request.history.path,
                         0,
                         0,
                         title + (growth.now <= 0 ? " are 0 at the end of the history"
                                                  : " of the history fall to 0"),
                         "routes that say another baseline than forecast do not follow it",
                         {}});
}

struct RoutePart {
  Resource resource;
  double Route::*member;
};
constexpr RoutePart kRouteParts[]{{Resource::requests, &Route::requests_per_s},
                                  {Resource::prompt_tokens, &Route::prompt_tokens},
                                  {Resource::output_tokens, &Route::output_tokens}};

}  // namespace

Result<std::vector<DemandOutlook>> look_ahead(const DemandHistory& demand,
                                              const HistoryRequest& request) {
  OutlookOptions options;
  const double steps = std::ceil(request.horizon_days * kDay / demand.history.step_s);
  options.horizon = static_cast<std::size_t>(std::clamp(steps, 1.0, 1e9));
  std::vector<DemandOutlook> outlooks;
  for (const auto& [resource, column] : demand.columns) {
    const HistorySeries& series = demand.history.series[column];
    auto outlook = look_ahead(demand.history, series, options);
    if (!outlook) {
      const Diagnostic& what = outlook.error().diagnostics.front();
      return fail(outlook.error().kind,
                  Diagnostic{request.path, 0, 0, what.message, what.hint, {}});
    }
    const double now = recent_peak(series.values, *outlook);
    const BandQuantiles peak = outlook->peak();
    outlooks.push_back({resource, now, peak, std::move(*outlook)});
  }
  return outlooks;
}

const DemandOutlook* find_outlook(std::span<const DemandOutlook> outlooks, Resource resource) {
  const auto found = std::ranges::find(outlooks, resource, &DemandOutlook::resource);
  return found == outlooks.end() ? nullptr : &*found;
}

Result<void> continue_routes(std::span<DemandOutlook> outlooks, ForecastRequest* request) {
  if (says_what_will_be(*request)) {
    for (DemandOutlook& growth : outlooks) {
      growth.outlook.notes.emplace_back(
          "the sheet does not follow the history: routes say one thing for the baseline and "
          "another for the forecast");
    }
    return {};
  }
  for (const RoutePart& part : kRouteParts) {
    const DemandOutlook* growth = find_outlook(outlooks, part.resource);
    if (growth == nullptr) continue;
    if (growth->now <= 0 || growth->peak[kMedian] <= 0) return nothing_comes(*growth, *request);
    scale_to(part.resource, part.member, growth->now, &request->baseline);
    scale_to(part.resource, part.member, growth->peak[kMedian], &request->forecast);
  }
  for (const DemandOutlook& growth : outlooks) {
    if (growth.peak[kMedian] <= 0) continue;
    request->bands[growth.resource] = band_of(growth.peak);
    if (growth.resource == Resource::requests) request->band = band_of(growth.peak);
    const bool by_routes =
        std::ranges::count(kRouteParts, growth.resource, &RoutePart::resource) > 0;
    GivenResource& given = request->given[growth.resource];
    if (by_routes || given.forecast) continue;
    given.baseline = growth.now;
    given.forecast = growth.peak[kMedian];
    given.from_history = true;
  }
  return {};
}

}  // namespace plimsoll
