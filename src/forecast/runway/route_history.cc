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

// Prompt tokens are those computed. Empty where the file does not tell it of each route.
Values total_by_step(Resource resource, const std::vector<RouteCounts>& routes, std::size_t steps) {
  Values total(steps);
  for (const RouteCounts& route : routes) {
    const bool is_prompts = resource == Resource::prompt_tokens;
    const std::optional<Values>& counts = resource == Resource::requests ? route.requests
                                          : is_prompts                   ? route.prompts
                                                                         : route.outputs;
    if (!counts) return {};
    for (std::size_t i = 0; i < steps; ++i) total[i] += (*counts)[i];
    if (!is_prompts || !route.cached) continue;
    for (std::size_t i = 0; i < steps; ++i) total[i] -= (*route.cached)[i];
  }
  return total;
}

// Those of a provider, or all others.
History side_of(History history, const std::vector<std::string>& at_provider, bool is_bought) {
  std::erase_if(history.series, [&](const HistorySeries& series) {
    return contains(at_provider, series.route) != is_bought;
  });
  return history;
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

std::vector<RouteSeries> series_when_busy(const History& history, const History& windows,
                                          const std::vector<std::string>& at_provider,
                                          Resource busy_with) {
  const std::vector<RouteCounts> routes = counts_by_route(side_of(history, at_provider, false));
  const Values total = total_by_step(Resource::requests, routes, history.size());
  const Values busy = total_by_step(busy_with, routes, history.size());
  if (total.empty() || busy.empty()) return {};
  return series_of(routes, total, BusySteps(history, windows, busy, kBusyStep));
}

std::vector<RouteSeries> route_series(const History& history, const History& windows,
                                      const std::vector<std::string>& at_provider) {
  if (!at_provider.empty()) {
    std::vector<RouteSeries> all;
    for (const bool is_bought : {false, true}) {
      for (RouteSeries& series : route_series(side_of(history, at_provider, is_bought), windows)) {
        series.at_provider = is_bought;
        all.push_back(std::move(series));
      }
    }
    return all;
  }
  std::vector<RouteSeries> all = series_when_busy(history, windows, {}, Resource::requests);
  std::erase_if(all, [](const RouteSeries& series) {
    return series.route.empty() && series.figure != RouteFigure::cached_share &&
           series.figure != RouteFigure::retry_share;
  });
  return all;
}

MeanRoutes mean_routes(const History& history, const History& windows) {
  const std::vector<RouteCounts> routes = counts_by_route(history);
  const Values total = total_by_step(Resource::requests, routes, history.size());
  if (total.empty()) return {};
  const BusySteps steps(history, windows, total, 0);
  MeanRoutes means{steps.means(total), series_of(routes, total, steps)};
  for (double& attempts : means.attempts) attempts /= history.step_s;
  return means;
}

}  // namespace plimsoll
