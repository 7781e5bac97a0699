#include "forecast/runway/route_history.h"

#include <algorithm>

#include "base/lists.h"

namespace plimsoll {
namespace {

constexpr double kBusyStep = 0.9;  // of the busiest of its window

using Values = std::vector<double>;

// One column of a route; none if it is not there.
const Values* column_of(const History& history, std::string_view route, std::string_view name) {
  const HistorySeries* found = history.find(name, route);
  return found == nullptr ? nullptr : &found->values;
}

/// Counts per step of one route.
struct RouteCounts {
  std::string route;
  std::optional<Values> requests;
  std::optional<Values> prompts;
  std::optional<Values> cached;  ///< of the prompts; none: the prompts are those computed
  std::optional<Values> outputs;
  std::optional<Values> retries;
};

// A count, or a rate in the unit of the resource.
std::optional<Values> counts_of(const History& history, std::string_view route,
                                std::string_view count, Resource rate) {
  if (const Values* counted = column_of(history, route, count)) return *counted;
  const Values* rates = column_of(history, route, facts_of(rate).name);
  if (rates == nullptr) return std::nullopt;
  Values counts = *rates;
  for (double& value : counts) value *= history.step_s;
  return counts;
}

RouteCounts counts_of(const History& history, const std::string& route) {
  const auto optional = [](const Values* values) {
    return values == nullptr ? std::nullopt : std::optional(*values);
  };
  return {route,
          counts_of(history, route, "requests", Resource::requests),
          counts_of(history, route, "prompt_tokens", Resource::prompt_tokens),
          optional(column_of(history, route, kCachedColumn)),
          counts_of(history, route, "output_tokens", Resource::output_tokens),
          optional(column_of(history, route, kRetriesColumn))};
}

std::vector<RouteCounts> counts_by_route(const History& history) {
  std::vector<RouteCounts> all;
  for (const HistorySeries& series : history.series) {
    if (!contains(all, series.route, &RouteCounts::route)) {
      all.push_back(counts_of(history, series.route));
    }
  }
  return all;
}

std::vector<std::size_t> reaching(double least, std::span<const double> values) {
  std::vector<std::size_t> found;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (values[i] >= least) found.push_back(i);
  }
  return found;
}

/// Of each window, the steps that count: those with this share of its busiest at least.
class BusySteps {
 public:
  BusySteps(const History& history, const History& windows, std::span<const double> total,
            double least) {
    const auto in_steps = [&](double seconds) {
      return static_cast<std::size_t>(std::llround(seconds / history.step_s));
    };
    const std::size_t width = in_steps(windows.step_s);
    std::size_t first = in_steps(windows.start_s - history.start_s);
    for (std::size_t i = 0; i < windows.size(); ++i, first += width) {
      const auto window = total.subspan(first, width);
      steps_.push_back(reaching(least * *std::ranges::max_element(window), window));
      for (std::size_t& step : steps_.back()) step += first;
    }
  }

  Values means(const Values& values) const {
    Values means;
    for (const std::vector<std::size_t>& steps : steps_) {
      double sum = 0;
      for (const std::size_t step : steps) sum += values[step];
      means.push_back(sum / static_cast<double>(steps.size()));
    }
    return means;
  }

  // `part` of each of `whole`, by window. Where nothing came it is as it was before, or as it was
  // first. Empty if nothing ever came.
  Values ratios(const Values& part, const Values& whole) const {
    Values ratios;
    std::size_t unknown = 0;  // at the beginning
    for (const std::vector<std::size_t>& steps : steps_) {
      double parts = 0;
      double wholes = 0;
      for (const std::size_t step : steps) {
        parts += part[step];
        wholes += whole[step];
      }
      if (wholes > 0) {
        ratios.push_back(parts / wholes);
      } else if (ratios.empty()) {
        ++unknown;
      } else {
        ratios.push_back(ratios.back());
      }
    }
    if (!ratios.empty()) ratios.insert(ratios.begin(), unknown, ratios.front());
    return ratios;
  }

 private:
  std::vector<std::vector<std::size_t>> steps_;
};

Values less(Values all, const Values& part) {
  for (std::size_t i = 0; i < all.size(); ++i) all[i] -= part[i];
  return all;
}

// ---- what that makes of the routes

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

// Attempts by step; empty where the file does not tell them of each route.
Values total_attempts(const std::vector<RouteCounts>& routes, std::size_t steps) {
  Values total(steps);
  for (const RouteCounts& route : routes) {
    if (!route.requests) return {};
    for (std::size_t i = 0; i < steps; ++i) total[i] += (*route.requests)[i];
  }
  return total;
}

std::vector<RouteSeries> series_of(const std::vector<RouteCounts>& routes, const Values& total,
                                   const BusySteps& steps) {
  std::vector<RouteSeries> all;
  const auto add = [&](const RouteCounts& route, RouteFigure figure,
                       const std::optional<Values>& part, const Values& whole) {
    if (!part) return;
    if (Values ratios = steps.ratios(*part, whole); !ratios.empty())
      all.push_back({route.route, figure, std::move(ratios)});
  };
  for (const RouteCounts& route : routes) {
    add(route, RouteFigure::request_share, route.requests, total);
    if (route.retries) {
      add(route, RouteFigure::retry_share, route.retries, less(*route.requests, *route.retries));
    }
    if (route.cached && route.prompts) {
      add(route, RouteFigure::cached_share, route.cached, *route.prompts);
    }
    add(route, route.cached ? RouteFigure::prompt_tokens : RouteFigure::fresh_prompt_tokens,
        route.prompts, *route.requests);
    add(route, RouteFigure::output_tokens, route.outputs, *route.requests);
  }
  return all;
}

}  // namespace

Choices<RouteFigure> route_figures() {
  static constexpr Choice<RouteFigure> kFigures[]{
      {"request_share", RouteFigure::request_share, "of the attempts of all routes"},
      {"prompt_tokens", RouteFigure::prompt_tokens, "per attempt, cached ones included"},
      {"fresh_prompt_tokens", RouteFigure::fresh_prompt_tokens, "per attempt, to be computed"},
      {"cached_share", RouteFigure::cached_share, "of the prompts"},
      {"output_tokens", RouteFigure::output_tokens, "per attempt"},
      {"retry_share", RouteFigure::retry_share, "per first attempt"}};
  return kFigures;
}

std::vector<RouteSeries> route_series(const History& history, const History& windows,
                                      const std::vector<std::string>& at_provider) {
  if (!at_provider.empty()) {
    std::vector<RouteSeries> all;
    for (const bool is_bought : {false, true}) {
      History side = history;
      std::erase_if(side.series, [&](const HistorySeries& series) {
        return contains(at_provider, series.route) != is_bought;
      });
      for (RouteSeries& series : route_series(side, windows)) {
        series.at_provider = is_bought;
        all.push_back(std::move(series));
      }
    }
    return all;
  }
  const std::vector<RouteCounts> routes = counts_by_route(history);
  const Values total = total_attempts(routes, history.size());
  if (total.empty()) return {};
  std::vector<RouteSeries> all =
      series_of(routes, total, BusySteps(history, windows, total, kBusyStep));
  std::erase_if(all, [](const RouteSeries& series) {
    return series.route.empty() && series.figure != RouteFigure::cached_share &&
           series.figure != RouteFigure::retry_share;
  });
  return all;
}

MeanRoutes mean_routes(const History& history, const History& windows) {
  const std::vector<RouteCounts> routes = counts_by_route(history);
  const Values total = total_attempts(routes, history.size());
  if (total.empty()) return {};
  const BusySteps steps(history, windows, total, 0);
  MeanRoutes means{steps.means(total), series_of(routes, total, steps)};
  for (double& attempts : means.attempts) attempts /= history.step_s;
  return means;
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
