#include "forecast/runway/demand_history.h"

#include <algorithm>
#include <numeric>

#include "base/calendar.h"
#include "base/command_files.h"
#include "base/file.h"
#include "base/lists.h"
#include "base/nearest_file.h"
#include "base/text.h"
#include "forecast/history/prometheus.h"
#include "stats/average.h"

namespace plimsoll {
namespace {

constexpr double kFewestDays = 14;  // of history, for daily peaks
constexpr double kFewestADay = 4;   // values

// Counts become rates.
std::optional<Resource> resource_of(HistorySeries* series, double step_s) {
  if (const auto named = find_resource(series->name)) return named;
  for (const CountColumn& count : kCountColumns) {
    if (series->name != count.name) continue;
    for (double& value : series->values) value /= step_s;
    return count.resource;
  }
  return std::nullopt;
}

// A part is no more than its whole: more is a mistake in the file, not a share above 100 %.
Result<void> check_part(const History& history, std::string_view part, std::string_view whole,
                        const std::string& path) {
  for (const HistorySeries& series : history.series) {
    const HistorySeries* all = series.name == part ? history.find(whole, series.route) : nullptr;
    if (all == nullptr) continue;
    for (std::size_t i = 0; i < series.values.size(); ++i) {
      if (series.values[i] <= all->values[i] * (1 + 1e-9)) continue;
      const double time_s = history.start_s + history.step_s * static_cast<double>(i);
      return fail(ErrorKind::spec,
                  path + ": at " + (history.dated ? iso_time(time_s) : shortest(time_s) + " s") +
                      (series.route.empty() ? "" : ", route \"" + series.route + "\"") + ", \"" +
                      series.name + "\" is " + shortest(series.values[i]) + " of " +
                      shortest(all->values[i]) + " \"" + all->name + "\"",
                  "both are counts per row; a part cannot be more than the whole");
    }
  }
  return {};
}

// All that a column counts, whether per row or per second; none: there is no such column.
std::optional<double> total_of(const History& history, const std::string& counts,
                               const std::string& route) {
  const auto sum = [&](const HistorySeries& series) {
    return std::accumulate(series.values.begin(), series.values.end(), 0.0);
  };
  if (const HistorySeries* of_rows = history.find(counts, route)) return sum(*of_rows);
  const HistorySeries* per_s = history.find(counts + "_per_s", route);
  if (per_s == nullptr) return std::nullopt;
  return sum(*per_s) * history.step_s;
}

// No request has less than a token: such a column has the tokens of one request, not of all in a
// row.
Result<void> check_tokens(const History& history, const std::string& path) {
  for (const std::string tokens : {"prompt_tokens", "output_tokens"}) {
    for (const HistorySeries& series : history.series) {
      if (series.name != tokens && series.name != tokens + "_per_s") continue;
      const auto requests = total_of(history, "requests", series.route);
      const double all = *total_of(history, tokens, series.route);
      if (!requests || all <= 0 || all >= *requests) continue;
      const std::string unit = series.name == tokens ? "row" : "second";
      return fail_at(ErrorKind::spec, path, 1,
                     "\"" + series.name + "\" has fewer tokens than there are requests" +
                         (series.route.empty() ? "" : " of route \"" + series.route + "\""),
                     "the column counts the tokens of all requests of a " + unit +
                         ": multiply those of one request by the requests of the " + unit);
    }
  }
  return {};
}

// Those that were found in the cache are not computed.
void subtract_cached(History* history) {
  const auto cached = std::ranges::find(history->series, kCachedColumn, &HistorySeries::name);
  const auto all = std::ranges::find(history->series, "prompt_tokens", &HistorySeries::name);
  if (cached == history->series.end() || all == history->series.end()) return;
  for (std::size_t i = 0; i < all->values.size(); ++i) {
    all->values[i] = std::max(0.0, all->values[i] - cached->values[i]);
  }
  history->series.erase(cached);
}

std::vector<std::string> known_columns() {
  std::vector<std::string> names = resource_names();
  for (const CountColumn& count : kCountColumns) names.emplace_back(count.name);
  names.emplace_back(kCachedColumn);
  names.emplace_back(kRetriesColumn);
  for (const Figure& column : kLatencyColumns) names.push_back(column.key());
  return names;
}

tl::unexpected<Error> not_demand(const std::string& path, const std::string& column) {
  if (column == kCachedColumn) {
    return fail_at(ErrorKind::spec, path, 1,
                   "the column \"cached_prompt_tokens\" has no \"prompt_tokens\" beside it",
                   "it is a part of them; add the count of all prompt tokens");
  }
  return fail_at(ErrorKind::spec, path, 1, "no resource has the name of column \"" + column + "\"",
                 suggestion(column, known_columns()));
}

bool is_no_demand(const HistorySeries& series) {
  return series.name == kRetriesColumn || contains(kLatencyColumns, series.name, &Figure::key);
}

std::span<const double> last_weeks(const HistorySeries& series, double step_s) {
  constexpr double kWeeksS = 28 * kDayS;
  const auto count = static_cast<std::size_t>(std::max(1.0, kWeeksS / step_s));
  return std::span(series.values).last(std::min(count, series.values.size()));
}

// `windows`: the same columns, a value for each day or step.
std::optional<double> share_of_windows(const DemandHistory& demand, const History& windows) {
  const HistorySeries* steps = demand.find(Resource::provider_requests);
  if (steps == nullptr) steps = demand.find(Resource::requests);
  if (steps == nullptr) return std::nullopt;
  const HistorySeries& each = *windows.find(steps->name, steps->route);
  const double peaks = mean_of(last_weeks(each, windows.step_s));
  if (peaks <= 0) return std::nullopt;
  return std::min(1.0, mean_of(last_weeks(*steps, demand.history.step_s)) / peaks);
}

// The message has the path from the current folder; the file of the forecast has another one.
Result<void> check_is_there(const std::string& path) {
  auto file = open_file(path);
  if (file) return {};
  Diagnostic& what = file.error().diagnostics.front();
  if (CommandFiles::are_sealed())
    what.hint = "send its text in \"files\", by that name";
  else if (!is_file(path) && !what.hint.empty() && nearest_file(path).empty())
    what.hint = "\"file\" of \"history\" counts from the folder of the file that names it";
  return pass_on(file);
}

// What is said of the file and does nothing in a file of its kind.
Result<void> check_options(const HistoryRequest& request) {
  if (request.format) return {};
  const bool is_counters = is_prometheus_file(request.path);
  const auto useless = [&](const char* key, const char* hint) {
    const char* kind = is_counters ? "counters of Prometheus" : "a CSV file";
    return fail(ErrorKind::spec,
                request.path + ": \"" + key + "\" does nothing in a history of " + kind, hint);
  };
  if (!is_counters && !request.route_label.empty()) {
    return useless("route_label", "name the routes in a column \"route\", or leave it out");
  }
  if (is_counters && !request.columns.empty()) {
    return useless("columns", "leave it out: the names of the counters tell what they count");
  }
  if (is_counters && request.fill_gaps) {
    return useless("gaps: fill", "leave it out: what a counter gained in a gap is spread over it");
  }
  return {};
}

}  // namespace

const HistorySeries* DemandHistory::find(Resource resource, std::string_view provider) const {
  for (const DemandColumn& column : columns) {
    if (column.resource == resource && column.provider == provider)
      return &history.series[column.series];
  }
  return nullptr;
}

Result<DemandHistory> demand_in(const History& history, const std::string& path,
                                const std::vector<Route>& routes) {
  for (const auto& [part, whole] :
       {std::pair<std::string_view, std::string_view>{kCachedColumn, "prompt_tokens"},
        {kRetriesColumn, "requests"}}) {
    TRY_TO(check_part(history, part, whole, path));
  }
  TRY_TO(check_tokens(history, path));
  DemandHistory demand;
  demand.history = without_routes(history, routes);
  subtract_cached(&demand.history);
  std::erase_if(demand.history.series, is_no_demand);
  for (std::size_t i = 0; i < demand.history.series.size(); ++i) {
    HistorySeries& series = demand.history.series[i];
    const std::string column = series.name;
    const auto resource = resource_of(&series, demand.history.step_s);
    if (!resource) return not_demand(path, series.name);
    if (demand.find(*resource, series.route) != nullptr) {
      return fail_at(ErrorKind::spec, path, 1,
                     "the column \"" + column + "\" says again what another column says: " +
                         std::string(facts_of(*resource).title),
                     "a column per row (\"requests\") and one per second (\"requests_per_s\") are "
                     "the same demand; keep one of them");
    }
    demand.columns.push_back({*resource, i, series.route});
  }
  return demand;
}

HistoryOptions options_of(const HistoryRequest& request) {
  return {request.zone, request.fill_gaps, request.columns, request.route_label};
}

Result<void> check_routes(const History& history, const std::string& path,
                          const std::vector<Route>& routes) {
  std::vector<std::string> names = mapped(routes, &Route::name);
  for (const HistorySeries& series : history.series) {
    if (series.route.empty() || contains(names, series.route)) continue;
    return fail(ErrorKind::spec, path + ": the forecast has no route \"" + series.route + "\"",
                suggestion(series.route, names));
  }
  return {};
}

Result<History> read_past(const HistoryRequest& request) {
  TRY_TO(check_is_there(request.path));
  TRY_TO(check_options(request));
  return request.format ? read_trace_history(request.path, *request.format, request.step_s)
                        : read_history(request.path, options_of(request));
}

Result<DemandHistory> demand_of_past(const History& past, const std::string& path,
                                     const std::vector<Route>& routes) {
  TRY_TO(check_routes(past, path, routes));
  TRY(found, demand_in(past, path, routes));
  DemandHistory demand = std::move(found);
  for (const DemandColumn& column : demand.columns) {
    demand.profiles.push_back(profile_of(demand.history, demand.history.series[column.series]));
  }
  const double values = static_cast<double>(demand.history.size());
  const double days = values * demand.history.step_s / kDayS;
  if (days >= kFewestDays && demand.history.step_s * kFewestADay <= kDayS) {
    TRY(peaks, peaks_of(demand.history, kDayS, kPeakOfDay));
    peaks.notes = demand.history.notes;
    demand.mean_of_windows = share_of_windows(demand, peaks);
    demand.steps = std::exchange(demand.history, std::move(peaks));
    demand.daily_peaks = true;
  } else {
    demand.mean_of_windows = share_of_windows(demand, demand.history);
  }
  std::vector<std::string> at_provider;
  for (const Route& route : routes) {
    const bool is_told = contains(past.series, route.name, &HistorySeries::route);
    if (route.from_provider && is_told) at_provider.push_back(route.name);
  }
  demand.routes = route_series(past, demand.history, at_provider);
  if (std::ranges::any_of(routes, &Route::from_provider))
    demand.means = mean_routes(past, demand.history);
  return demand;
}

}  // namespace plimsoll
