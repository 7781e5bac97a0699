// What becomes of the routes of a history, and what that makes of those of a request
// (forecast/runway/route_history.h).
#include <algorithm>

#include "base/lists.h"
#include "forecast/runway/route_history.h"

namespace plimsoll {
namespace {

constexpr double kBusiestWindow = 0.98;  // of the busiest

double mean_when_busy(std::span<const double> values, const std::vector<double>& busyness) {
  const double most = *std::ranges::max_element(busyness);
  double sum = 0;
  double count = 0;
  for (std::size_t i = 0; i < busyness.size(); ++i) {
    if (busyness[i] < kBusiestWindow * most) continue;
    sum += values[i];
    count += 1;
  }
  return sum / count;
}

// The most requests in the busiest windows of the last season.
const RouteSeries* largest_of(const std::vector<RouteSeries>& series, const Busyness& busyness) {
  const RouteSeries* largest = nullptr;
  double most = -1;
  for (const RouteSeries& each : series) {
    if (each.figure != RouteFigure::request_share) continue;
    const double share =
        mean_when_busy(std::span(each.values).last(busyness.now.size()), busyness.now);
    if (share > most) largest = &each, most = share;
  }
  return largest;
}

// A share of requests bends wherever another route grows; what comes with each request of the
// largest route does not, and where both rise and fall together it stays as it is.
std::vector<double> per_request_of(const RouteSeries& largest, std::vector<double> shares) {
  constexpr double kLeastShare = 1e-3;
  for (std::size_t i = 0; i < shares.size(); ++i)
    shares[i] /= std::max(kLeastShare, largest.values[i]);
  return shares;
}

// Shares are parts of one whole, whatever they are told in.
void add_up_to_one(double RouteOutlook::*figure, std::vector<RouteOutlook>* outlooks) {
  const auto is_share = [](const RouteOutlook& outlook) {
    return outlook.figure == RouteFigure::request_share;
  };
  double sum = 0;
  for (const RouteOutlook& outlook : *outlooks) sum += is_share(outlook) ? outlook.*figure : 0;
  if (sum <= 0) return;
  for (RouteOutlook& outlook : *outlooks) {
    if (is_share(outlook)) outlook.*figure /= sum;
  }
}

double attempts_of(const Route& route) { return route.requests_per_s * (1 + route.retry_share); }

double attempts_of(const std::vector<Route>& routes) {
  return total_of(routes, [](const Route& route) { return attempts_of(route); });
}

void set_attempts(double attempts, Route* route) {
  route->requests_per_s = attempts / (1 + route->retry_share);
}

void set_figure(RouteFigure figure, double value, double all_attempts, Route* route) {
  switch (figure) {
    case RouteFigure::request_share:
      return set_attempts(value * all_attempts, route);
    case RouteFigure::prompt_tokens:
      route->prompt_tokens = value;
      return;
    case RouteFigure::fresh_prompt_tokens:
      if (route->sessions) {
        route->prompt_tokens = prompt_tokens_of(*route->sessions, value, route->output_tokens);
      } else if (route->cached_share < 1) {
        route->prompt_tokens = value / (1 - route->cached_share);
      }
      return;
    case RouteFigure::cached_share:
      if (!route->sessions) route->cached_share = value;
      return;
    case RouteFigure::output_tokens:
      route->output_tokens = value;
      return;
    case RouteFigure::retry_share: {
      const double attempts = attempts_of(*route);
      route->retry_share = value;
      return set_attempts(attempts, route);
    }
  }
}

// What has to be computed changes by the same factor in each route without sessions, so that all
// routes together have that share; that of sessions is what they repeat.
void set_cached_share(double share, std::vector<Route>* routes) {
  double prompts = 0;
  double fresh = 0;
  double of_sessions = 0;  // to be computed, whatever was counted
  for (const Route& route : *routes) {
    const double tokens = attempts_of(route) * route.prompt_tokens;
    prompts += tokens;
    (route.sessions ? of_sessions : fresh) += tokens * (1 - route.cached_share);
  }
  if (prompts <= 0) return;
  const double wanted = std::max(0.0, (1 - share) * prompts - of_sessions);
  for (Route& route : *routes) {
    if (route.sessions) continue;
    route.cached_share =
        fresh > 0 ? std::clamp(1 - (1 - route.cached_share) * wanted / fresh, 0., 1.) : share;
  }
}

// So many tokens per attempt on average, each route's in proportion to what it has.
template <class TokensOf>
void set_mean_tokens(double mean, double Route::*length, TokensOf tokens_of,
                     std::vector<Route>* routes) {
  double tokens = 0;
  for (const Route& route : *routes) tokens += attempts_of(route) * tokens_of(route);
  if (tokens <= 0) return;
  const double factor = mean * attempts_of(*routes) / tokens;
  for (Route& route : *routes) route.*length *= factor;
}

void follow_all(const RouteOutlook& outlook, double value, std::vector<Route>* routes) {
  const auto fresh = [](const Route& r) { return r.prompt_tokens * (1 - r.cached_share); };
  switch (outlook.figure) {
    case RouteFigure::request_share:
      return;  // all of them
    case RouteFigure::cached_share:
      return set_cached_share(value, routes);
    case RouteFigure::retry_share:
      for (Route& route : *routes) set_figure(RouteFigure::retry_share, value, 0, &route);
      return;
    case RouteFigure::prompt_tokens:
      return set_mean_tokens(
          value, &Route::prompt_tokens, [](const Route& r) { return r.prompt_tokens; }, routes);
    case RouteFigure::fresh_prompt_tokens:
      return set_mean_tokens(value, &Route::prompt_tokens, fresh, routes);
    case RouteFigure::output_tokens:
      return set_mean_tokens(
          value, &Route::output_tokens, [](const Route& r) { return r.output_tokens; }, routes);
  }
}

}  // namespace

Result<std::vector<RouteOutlook>> look_ahead(const std::vector<RouteSeries>& series,
                                             const History& windows, const Busyness& busyness) {
  OutlookOptions options;
  options.horizon = busyness.ahead.size();
  options.paths = 1;
  std::vector<RouteOutlook> outlooks;
  const RouteSeries* largest = largest_of(series, busyness);
  for (const RouteSeries& each : series) {
    const bool is_of_requests = each.figure == RouteFigure::request_share;
    const std::vector<double> values =
        is_of_requests ? per_request_of(*largest, each.values) : each.values;
    TRY(outlook, look_ahead(windows, {std::string(), each.route, values}, options));
    RouteOutlook out{each.route, each.figure, 0, 0, outlook.method};
    out.now = mean_when_busy(std::span(each.values).last(busyness.now.size()), busyness.now);
    out.ahead = std::max(0.0, mean_when_busy(outlook.point, busyness.ahead));
    if (each.figure == RouteFigure::cached_share) out.ahead = std::min(1.0, out.ahead);
    outlooks.push_back(std::move(out));
  }
  add_up_to_one(&RouteOutlook::now, &outlooks);
  add_up_to_one(&RouteOutlook::ahead, &outlooks);
  return outlooks;
}

std::vector<Route> routes_in(const MeanRoutes& means, std::size_t window,
                             std::vector<Route> routes) {
  const double attempts = attempts_of(routes);
  for (Route& route : routes) {
    if (attempts > 0) {
      route.requests_per_s *= means.attempts[window] / attempts;
    } else {
      set_attempts(means.attempts[window] / static_cast<double>(routes.size()), &route);
    }
  }
  std::vector<RouteOutlook> then;
  for (const RouteSeries& series : means.series)
    then.push_back({series.route, series.figure, series.values[window], 0, {}});
  follow(then, &RouteOutlook::now, &routes);
  return routes;
}

void follow(const std::vector<RouteOutlook>& outlooks, double RouteOutlook::*figure,
            std::vector<Route>* routes) {
  const double attempts = attempts_of(*routes);
  for (const bool is_answers : {true, false}) {  // which are a part of prompts of sessions
    for (const RouteOutlook& outlook : outlooks) {
      if (is_answers != (outlook.figure == RouteFigure::output_tokens)) continue;
      if (outlook.route.empty()) {
        follow_all(outlook, outlook.*figure, routes);
        continue;
      }
      const auto route = std::ranges::find(*routes, outlook.route, &Route::name);
      if (route != routes->end()) set_figure(outlook.figure, outlook.*figure, attempts, &*route);
    }
  }
  for (Route& route : *routes) follow_sessions(&route);
  const double after = attempts_of(*routes);
  if (after <= 0) return;
  for (Route& route : *routes) route.requests_per_s *= attempts / after;
}

}  // namespace plimsoll
