#include "forecast/runway/spend.h"

#include <algorithm>

#include "forecast/headroom/money.h"
#include "forecast/runway/bill.h"
#include "stats/average.h"

namespace plimsoll {
namespace {

void scale(double factor, Outlook* outlook) {
  for (double& value : outlook->point) value *= factor;
  for (BandQuantiles& band : outlook->bands)
    for (double& value : band) value *= factor;
  for (std::vector<double>& path : outlook->paths)
    for (double& value : path) value *= factor;
}

// By window, if providers were paid at these rates for a month.
std::vector<double> usd_by_window(const ForecastRequest& request, const DemandHistory& demand,
                                  const DemandOutlook& paid) {
  std::vector<double> usd;
  const auto price_of = [&](const std::vector<Route>& routes) {
    return provider_usd_at_peak(request, flows_of(routes)).value_or(0);
  };
  for (std::size_t i = 0; i < demand.means.attempts.size(); ++i)
    usd.push_back(price_of(routes_in(demand.means, i, request.forecast)));
  if (!usd.empty()) return usd;
  // The file has no requests of routes: in proportion to what there is.
  const double each = price_of(request.forecast) * request.mean_load /
                      std::max(1e-300, mean_of(paid.outlook.point));
  for (const double value : demand.find(paid.resource)->values) usd.push_back(each * value);
  return usd;
}

}  // namespace

Result<void> follow_spend(std::span<const DemandOutlook> outlooks, DemandHistory* demand,
                          ForecastRequest* request) {
  const DemandOutlook* paid = paid_of(outlooks);
  const double at_peak = provider_usd_at_peak(*request, flows_of(request->forecast)).value_or(0);
  if (paid == nullptr || at_peak <= 0) return {};
  const HistorySeries usd{"usd_per_month", "", usd_by_window(*request, *demand, *paid)};
  TRY(options, outlook_options(request->history, demand->history));
  TRY(ahead, look_ahead(demand->history, usd, options));
  Spend spend{usd.values, std::move(ahead)};
  const double mean = mean_of(spend.ahead.point);
  if (mean <= 0) return {};
  if (request->says_mean_load || says_what_will_be(*request)) {
    const double factor = at_peak * request->mean_load / mean;
    scale(factor, &spend.ahead);
    for (double& value : spend.past) value *= request->says_mean_load ? factor : 1;
  } else {
    request->paid_load = mean / at_peak;
  }
  const BandQuantiles band = mean_of_paths(spend.ahead);
  request->bands[Resource::budget] = {band.front() / band[kMedianBand],
                                      band.back() / band[kMedianBand]};
  demand->spend = std::move(spend);
  return {};
}

}  // namespace plimsoll
