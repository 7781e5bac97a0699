// What makes the decision of a forecast less than certain.
#include <algorithm>
#include <cmath>

#include "base/lists.h"
#include "report/forecast/forecast.h"
#include "report/forecast/words.h"

namespace plimsoll {
namespace {

// The largest cached share of a route, where it is so large, or was counted by an engine, that
// sessions may be behind it; 0 of any other.
double shared_prefix(const ForecastReport& r) {
  constexpr double kLarge = 0.5;
  constexpr double kLargeIfCounted = 0.1;
  const bool is_counted =
      std::ranges::count(r.routes_ahead, RouteFigure::cached_share, &RouteOutlook::figure) > 0;
  double most = 0;
  for (const Route& route : r.request.forecast) {
    if (!route.from_provider && !route.sessions) most = std::fmax(most, route.cached_share);
  }
  return most >= (is_counted ? kLargeIfCounted : kLarge) ? most : 0;
}

// The share of the whole forecast that is handled where the model errs to its harm; 1: all of it,
// or nobody knows.
double least_at_peak(const ForecastReport& r) {
  const auto& peak = r.headroom.forecast;
  const ScenarioRow* hour = r.headroom.hardest_hour();
  return std::fmin(peak && peak->line.is_known ? peak->held().low : 1,
                   hour != nullptr ? hour->peak->held().low : 1);
}

// Likewise of what is left after a loss that is survived with those deployed.
double least_after_loss(const ForecastReport& r) {
  double least = 1;
  for (const LossPlan& plan : r.losses) least = std::fmin(least, plan.held_at_slow_end);
  return least;
}

// The largest share of a capacity that the high end of the band takes; 0 where the runway has a
// chance for it, which says as much.
double high_end_of_band(const ForecastReport& r) {
  if (r.runway && !r.runway->too_short()) return 0;
  double most = 0;
  for (const SheetRow& row : r.headroom.rows) {
    if (row.forecast_band && row.capacity && *row.capacity > 0)
      most = std::fmax(most, row.forecast_band->high / *row.capacity);
  }
  return most;
}

}  // namespace

const RunwayRow* with_short_history(const ForecastReport& r) {
  if (!r.runway) return nullptr;
  return find_where(r.runway->rows, [](const RunwayRow& row) { return row.outlook.too_short; });
}

void add_doubts(const ForecastReport& r, const RunwayRow* ahead, Decision* d) {
  const auto doubt_if = [&](bool is_doubted, Doubt doubt, double figure = 0) {
    if (is_doubted) d->doubts.emplace_back(doubt, figure);
  };
  const bool holds = !is_short(r);
  const double held = least_at_peak(r);
  const double after_loss = least_after_loss(r);
  const double band = high_end_of_band(r);
  const double chance = ahead != nullptr ? ahead->runway.probability() : 0;
  const double shared = r.deployment.empty() ? 0 : shared_prefix(r);
  doubt_if(r.headroom.interrupted, Doubt::interrupted);
  doubt_if(holds && held < 1, Doubt::peak_share, std::fmax(0, held));
  if (holds && held >= 1 && after_loss < 1)
    d->doubts.emplace_back(Doubt::peak_share, after_loss, 1);
  doubt_if(holds && band > 1, Doubt::band, band);
  doubt_if(kAcceptedRisk < chance && chance < kEvenOdds, Doubt::run_out, chance);
  doubt_if(shared > 0, Doubt::shared_prefix, shared);
  if (const RunwayRow* row = with_short_history(r))
    d->doubts.emplace_back(Doubt::short_history, row->outlook.enough_values);
}

}  // namespace plimsoll
