// How the requests of each route looked and will look, as far as a history tells: its share of all
// requests, tokens of its prompts and answers, what the prefix cache had of them, and retries. Each
// is a series of its own, continued like any other, and the sheet takes what it is at the busy
// time: a batch at night says nothing of the peak.
//
// Columns of a history that are no demand of a resource: retries, prompts found in the cache, and
// latencies. Left out where demand is read (forecast/runway/sheet.h), set against the forecast by
// forecast/runway/actuals.h.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "base/choice.h"
#include "base/result.h"
#include "forecast/demand/route.h"
#include "forecast/history/history.h"
#include "forecast/outlook/methods.h"
#include "forecast/outlook/outlook.h"
#include "metrics/figures.h"

namespace plimsoll {

inline constexpr std::array<Figure, 6> kLatencyColumns{figure("ttft_p95_ms"), figure("ttft_p99_ms"),
                                                       figure("tpot_p95_ms"), figure("tpot_p99_ms"),
                                                       figure("e2e_p95_ms"),  figure("e2e_p99_ms")};

inline constexpr std::string_view kRetriesColumn = "retries";
inline constexpr std::string_view kCachedColumn = "cached_prompt_tokens";  ///< of prompt_tokens

enum class RouteFigure {
  request_share,        ///< of the attempts of all routes that providers answer, or the deployment
  prompt_tokens,        ///< per attempt, cached ones included
  fresh_prompt_tokens,  ///< per attempt, where the history does not tell the cached ones
  cached_share,         ///< of the prompts
  output_tokens,        ///< per attempt
  retry_share           ///< per first attempt
};

Choices<RouteFigure> route_figures();

struct RouteSeries {
  std::string route;  ///< empty: all routes together, in a file that does not tell them apart
  RouteFigure figure = RouteFigure::request_share;
  std::vector<double> values;  ///< by window, of its busy steps
  bool at_provider = false;    ///< of a route that a provider answers
};

/// Columns are counts per step (`requests`, `prompt_tokens`, `cached_prompt_tokens`,
/// `output_tokens`, `retries`) or rates named like resources. Each of the `windows` is one step or
/// several; its busy steps are those with nearly as many requests as its busiest. Empty without a
/// column of requests. Of a file without routes only the shares: its totals tell the tokens.
/// Routes named in `at_provider` have busy steps and shares of their own.
std::vector<RouteSeries> route_series(const History& history, const History& windows,
                                      const std::vector<std::string>& at_provider = {});
/// Likewise of what no provider answers, by the steps that are busy with a resource: requests,
/// prompt tokens or output tokens. Of a file without routes all figures.
std::vector<RouteSeries> series_when_busy(const History& history, const History& windows,
                                          const std::vector<std::string>& at_provider,
                                          Resource busy_with);

/// The mean of all steps of each window, of which a bill is the sum.
struct MeanRoutes {
  std::vector<double> attempts;     ///< per second, of all routes; empty: the file does not tell
  std::vector<RouteSeries> series;  ///< as route_series(); without routes, of all of them together
};
MeanRoutes mean_routes(const History& history, const History& windows);

/// The routes as they were in a window.
std::vector<Route> routes_in(const MeanRoutes& means, std::size_t window,
                             std::vector<Route> routes);

struct RouteOutlook {
  std::string route;
  RouteFigure figure = RouteFigure::request_share;
  double now = 0;    ///< in the busiest windows of the last season
  double ahead = 0;  ///< in those within the horizon
  ForecastMethod method = ForecastMethod::naive;
};

/// How busy windows are, the last ones that are known and those ahead, in any unit.
struct Busyness {
  std::vector<double> now;
  std::vector<double> ahead;
};

Result<std::vector<RouteOutlook>> look_ahead(const std::vector<RouteSeries>& series,
                                             const History& windows, const Busyness& busyness);

/// Routes as the history has them: `figure` is RouteOutlook::now or ::ahead. Their requests add up
/// to as many as before; what the history does not tell stays.
void follow(const std::vector<RouteOutlook>& outlooks, double RouteOutlook::*figure,
            std::vector<Route>* routes);

}  // namespace plimsoll
