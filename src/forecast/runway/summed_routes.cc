#include "forecast/runway/demand_history.h"

#include <algorithm>
#include <optional>
#include <string>

#include "base/lists.h"
#include "forecast/runway/route_history.h"

namespace plimsoll {
namespace {

void add_to(HistorySeries* sum, const HistorySeries& series, double factor = 1) {
  sum->values.resize(series.values.size());
  // Waits do not add up.
  const bool is_delay = series.name == facts_of(Resource::queue_delay).name;
  for (std::size_t i = 0; i < series.values.size(); ++i) {
    double& value = sum->values[i];
    const double more = factor * series.values[i];
    value = is_delay ? std::max(value, more) : value + more;
  }
}

HistorySeries& series_named(std::string_view name, std::string_view route, History* history) {
  for (HistorySeries& series : history->series) {
    if (series.name == name && series.route == route) return series;
  }
  return history->series.emplace_back(HistorySeries{std::string(name), std::string(route), {}});
}

// What of a column is a provider's; none if it is asked of nobody else.
std::optional<Resource> asked_of_provider(std::string_view column) {
  const auto count = std::ranges::find(kCountColumns, column, &CountColumn::name);
  const auto resource =
      count != kCountColumns.end() ? std::optional(count->resource) : find_resource(column);
  if (resource == Resource::requests) return Resource::provider_requests;
  const bool is_tokens = resource == Resource::prompt_tokens || resource == Resource::output_tokens;
  return is_tokens ? std::optional(Resource::provider_tokens) : std::nullopt;
}

// How much of a column a flow has.
double weight_in(std::string_view column, const Flow& flow) {
  if (column.starts_with("prompt_tokens")) return flow.requests_per_s * flow.prompt_tokens;
  if (column == kCachedColumn) return flow.requests_per_s * flow.prompt_tokens * flow.cached_share;
  if (column.starts_with("output_tokens")) return flow.requests_per_s * flow.output_tokens;
  return flow.requests_per_s;
}

/// Which share of a series a provider answers: all or nothing of a route's, and where the file does
/// not tell its routes apart, as much as of what the forecast says of them.
class ProviderShares {
 public:
  explicit ProviderShares(const std::vector<Route>& routes)
      : routes_(routes), flows_(flows_of(routes)) {
    for (const Route& route : routes) {
      if (route.from_provider && !contains(names_, route.provider))
        names_.push_back(route.provider);
    }
  }

  const std::vector<std::string>& names() const { return names_; }

  double of(const HistorySeries& series, const std::string& provider) const {
    if (!series.route.empty()) {
      const auto route = std::ranges::find(routes_, series.route, &Route::name);
      return route != routes_.end() && route->is_answered_by(provider) ? 1 : 0;
    }
    double all = 0;
    double at_provider = 0;
    for (const Flow& flow : flows_) {
      const double weight = weight_in(series.name, flow);
      all += weight;
      if (flow.from_provider && flow.provider == provider) at_provider += weight;
    }
    return all > 0 ? at_provider / all : 0;
  }

 private:
  const std::vector<Route>& routes_;
  std::vector<Flow> flows_;
  std::vector<std::string> names_;
};

}  // namespace

History without_routes(const History& history, const std::vector<Route>& routes) {
  History sum = history;
  sum.series.clear();
  const ProviderShares shares(routes);
  const bool is_one = shares.names().size() == 1;
  bool is_divided = false;
  for (const HistorySeries& series : history.series) {
    const auto resource = asked_of_provider(series.name);
    const bool is_count = !find_resource(series.name).has_value();
    const double per_min = kSecondsPerMinute / (is_count ? history.step_s : 1);
    double others = 0;
    for (const std::string& provider : shares.names()) {
      const bool is_shared = resource || series.name == kCachedColumn || !series.route.empty();
      const double share = is_shared ? shares.of(series, provider) : 0;
      others += share;
      is_divided |= share > 0 && share < 1;
      if (share <= 0 || !resource) continue;
      const std::string_view name = facts_of(*resource).name;
      add_to(&series_named(name, "", &sum), series, share * per_min);
      if (!is_one && !provider.empty())
        add_to(&series_named(name, provider, &sum), series, share * per_min);
    }
    if (others < 1 - 1e-12) add_to(&series_named(series.name, "", &sum), series, 1 - others);
  }
  if (is_divided) {
    sum.notes.emplace_back(
        "the history does not tell its routes apart: providers answer as much of it as of the "
        "routes in the forecast's file");
  }
  return sum;
}

}  // namespace plimsoll
