#include "forecast/runway/demand_growth.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "base/lists.h"
#include "base/text.h"

namespace plimsoll {
namespace {

using Values = std::vector<double>;

constexpr double kClearlyBetter = 0.5;  // of the error of the total
constexpr std::size_t kOrigins = 3;
constexpr std::size_t kMostValues = 30'000;  // of all routes; more take too long to test

bool is_of_provider(Resource resource) {
  return resource == Resource::provider_requests || resource == Resource::provider_tokens;
}

// By which of its figures a route takes part in a resource, beside its share of requests.
std::vector<RouteFigure> figures_of(Resource resource) {
  if (resource == Resource::prompt_tokens)
    return {RouteFigure::prompt_tokens, RouteFigure::fresh_prompt_tokens};
  if (resource == Resource::output_tokens) return {RouteFigure::output_tokens};
  return {};
}

const RouteSeries* series_of_route(const DemandHistory& demand, const std::string& route,
                                   RouteFigure figure) {
  return find_where(demand.routes, [&](const RouteSeries& series) {
    return series.route == route && series.figure == figure;
  });
}

// Of each route, what it is of the total; empty where not all of them tell.
std::vector<Values> routes_of_total(const DemandHistory& demand, Resource resource,
                                    const Values& total) {
  const bool is_known = resource == Resource::requests || resource == Resource::prompt_tokens ||
                        resource == Resource::output_tokens ||
                        resource == Resource::provider_requests;
  if (!is_known) return {};
  std::vector<Values> parts;
  for (const RouteSeries& share : demand.routes) {
    const bool is_of_side = share.at_provider == is_of_provider(resource);
    if (share.figure != RouteFigure::request_share || !is_of_side) continue;
    Values part = share.values;
    const std::vector<RouteFigure> figures = figures_of(resource);
    const RouteSeries* each = nullptr;
    for (const RouteFigure figure : figures) {
      if (each == nullptr) each = series_of_route(demand, share.route, figure);
    }
    if (each == nullptr && !figures.empty()) return {};
    for (std::size_t t = 0; t < part.size(); ++t)
      if (each != nullptr) part[t] *= each->values[t];
    const bool is_silent = std::ranges::all_of(part, [](double value) { return value <= 0; });
    if (!is_silent) parts.push_back(std::move(part));
  }
  if (parts.size() < 2 || parts.front().size() != total.size()) return {};
  for (std::size_t t = 0; t < total.size(); ++t) {
    double sum = 0;
    for (const Values& part : parts) sum += part[t];
    for (Values& part : parts) part[t] = sum > 0 ? part[t] / sum * total[t] : 0;
  }
  return parts;
}

// What is expected of the values from `origin` on, by those before.
Result<Values> expected_from(std::size_t origin, const Values& values,
                             const OutlookOptions& options) {
  OutlookOptions then = options;
  then.horizon = std::min(options.horizon, values.size() - origin);
  then.start_s -= options.step_s * static_cast<double>(values.size() - origin);
  then.known = options.known.until(origin, then.horizon);
  then.paths = 1;
  TRY(ahead, look_ahead(std::span(values).first(origin), then));
  return std::move(ahead.point);
}

// The step at which the last of them begins: before, there was nothing to foretell it by.
std::size_t youngest_of(const std::vector<Values>& parts) {
  std::size_t last = 0;
  for (const Values& part : parts) {
    const auto first = std::ranges::find_if(part, [](double value) { return value > 0; });
    last = std::max(last, static_cast<std::size_t>(first - part.begin()));
  }
  return last;
}

/// Mean errors of logarithms in the last part of a history.
struct Errors {
  double by_total = 0;
  double by_routes = 0;
};

Result<Errors> errors_in_the_past(const Values& total, const std::vector<Values>& parts,
                                  const OutlookOptions& options, std::size_t enough) {
  Errors errors;
  const std::size_t tested = std::min(options.horizon, total.size() / 4);
  double count = 0;
  for (std::size_t i = 0; i < kOrigins; ++i) {
    const std::size_t back = tested + i * tested / 2;
    if (tested == 0 || back + enough + youngest_of(parts) > total.size()) break;
    const std::size_t origin = total.size() - back;
    TRY(by_total, expected_from(origin, total, options));
    Values by_routes(by_total.size());
    for (const Values& part : parts) {
      TRY(of_part, expected_from(origin, part, options));
      for (std::size_t h = 0; h < by_routes.size(); ++h) by_routes[h] += of_part[h];
    }
    for (std::size_t h = 0; h < std::min(tested, by_routes.size()); ++h) {
      const double came = total[origin + h];
      if (!(came > 0) || !(by_total[h] > 0) || !(by_routes[h] > 0)) continue;
      errors.by_total += std::fabs(std::log(by_total[h] / came));
      errors.by_routes += std::fabs(std::log(by_routes[h] / came));
      count += 1;
    }
    if (!(errors.by_routes < kClearlyBetter * errors.by_total)) break;
  }
  if (count == 0) return Errors{};
  return Errors{errors.by_total / count, errors.by_routes / count};
}

// None where the history does not tell several routes apart, is short, or foretold itself about as
// well by its total. `whole`: the outlook of that.
Result<std::optional<Outlook>> outlook_by_routes(const DemandHistory& demand,
                                                 const DemandColumn& column, const Outlook& whole,
                                                 const OutlookOptions& options) {
  const Values& total = demand.history.series[column.series].values;
  if (whole.too_short || whole.has_stopped() || !column.provider.empty()) return std::nullopt;
  const std::vector<Values> parts = routes_of_total(demand, column.resource, total);
  if (parts.empty() || parts.size() * total.size() > kMostValues) return std::nullopt;
  TRY(errors, errors_in_the_past(total, parts, options, whole.enough_values));
  if (!(errors.by_routes < kClearlyBetter * errors.by_total)) return std::nullopt;
  Outlook sum = whole;
  sum.paths.assign(whole.paths.size(), Values(whole.horizon()));
  sum.point.assign(whole.horizon(), 0);
  sum.mase = sum.coverage = std::nullopt;
  sum.events = {};  // those are of the total
  sum.notes = demand.history.notes;
  for (const Values& part : parts) {
    TRY(ahead, look_ahead(part, options));
    add_path_by_path(ahead, &sum);
  }
  sum.notes.push_back(
      fmt::format("forecast route by route, which foretold the last part of the history better: "
                  "{} off instead of {}",
                  percent(errors.by_routes), percent(errors.by_total)));
  return sum;
}

}  // namespace

Result<Outlook> look_ahead(const DemandHistory& demand, const DemandColumn& column,
                           const OutlookOptions& asked) {
  const OutlookOptions options = with_times_of(demand.history, asked);
  TRY(whole, look_ahead(demand.history, demand.history.series[column.series], options));
  TRY(by_routes, outlook_by_routes(demand, column, whole, options));
  return by_routes ? std::move(*by_routes) : std::move(whole);
}

}  // namespace plimsoll
