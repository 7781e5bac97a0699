// The costs of a forecast: GPUs by the hour, providers by the token.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "forecast/demand/forecast_request.h"
#include "forecast/demand/route.h"
#include "forecast/headroom/servable.h"
#include "forecast/headroom/supply.h"

namespace plimsoll {

struct RouteCost {
  std::string route;
  double usd_per_1k_requests = 0;
  std::optional<double> usd_per_1k_of_use;  ///< none where no answer is
};

/// GPUs that stand there all month; none without a price.
std::optional<double> usd_per_month(const Served& served, double gpus);

/// Tokens of providers if the flows came all month; none without a price.
std::optional<double> provider_usd_at_peak(const ForecastRequest& request,
                                           const std::vector<Flow>& flows);

/// The same at the mean load of the forecast, of what is paid for.
std::optional<double> provider_usd_per_month(const ForecastRequest& request,
                                             const std::vector<Flow>& flows);

/// GPUs that stand there all month, and tokens of providers at the mean load, of the baseline where
/// the flows are made of it. `gpus`: as many as the flows need; none: not known. None without any
/// price.
std::optional<double> usd_per_month(const ForecastRequest& request, const std::vector<Flow>& flows,
                                    bool of_baseline, const std::optional<double>& gpus,
                                    const std::optional<Served>& served);

/// The cost of the forecast on so many GPUs (none: nobody knows how many), at the mean load. GPUs
/// are shared out by the time that steps spend on fresh prompt tokens and on answers; a fallback
/// belongs to the route that falls back. Without those of which a price is missing. `too_long`: of
/// these routes some requests get no answer (forecast/headroom/servable.h).
std::vector<RouteCost> route_costs(const ForecastRequest& request,
                                   const std::optional<Served>& served,
                                   const std::optional<double>& gpus,
                                   const std::vector<RouteServable>& too_long = {});

}  // namespace plimsoll
