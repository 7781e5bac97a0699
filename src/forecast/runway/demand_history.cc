#include "forecast/runway/demand_history.h"

#include <numeric>

#include "base/calendar.h"
#include "base/text.h"
#include "forecast/history/prometheus.h"
#include "forecast/runway/route_history.h"
#include "stats/average.h"
#include "stats/percentile.h"

namespace plimsoll {
namespace {

constexpr double kFewestDays = 14;  // of history, for daily peaks
constexpr double kFewestADay = 4;   // values

struct CountColumn {
  std::string_view name;
  Resource resource;
};

constexpr CountColumn kCounts[]{{"requests", Resource::requests},
                                {"prompt_tokens", Resource::prompt_tokens},
                                {"output_tokens", Resource::output_tokens}};

// Counts become rates.
std::optional<Resource> resource_of(HistorySeries* series, double step_s) {
  if (const auto named = find_resource(series->name)) return named;
  for (const CountColumn& count : kCounts) {
    if (series->name != count.name) continue;
    for (double& value : series->values) value /= step_s;
    return count.resource;
  }
  return std::nullopt;
}

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

HistorySeries& series_named(std::string_view name, History* history) {
  const auto known = std::ranges::find(history->series, name, &HistorySeries::name);
  if (known != history->series.end()) return *known;
  return history->series.emplace_back(HistorySeries{std::string(name), {}, {}});
}

// What of a column is a provider's; none if it is asked of nobody else.
std::optional<Resource> asked_of_provider(std::string_view column) {
  const auto* count = std::ranges::find(kCounts, column, &CountColumn::name);
  const auto resource =
      count != std::end(kCounts) ? std::optional(count->resource) : find_resource(column);
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

/// Which share of a series providers answer: all or nothing of a route's, and where the file does
/// not tell its routes apart, as much as of what the forecast says of them.
class ProviderShare {
 public:
  explicit ProviderShare(const std::vector<Route>& routes)
      : routes_(routes), flows_(flows_of(routes)) {}

  double of(const HistorySeries& series) const {
    if (!series.route.empty()) {
      const auto route = std::ranges::find(routes_, series.route, &Route::name);
      return route != routes_.end() && route->from_provider ? 1 : 0;
    }
    double all = 0;
    double at_provider = 0;
    for (const Flow& flow : flows_) {
      const double weight = weight_in(series.name, flow);
      all += weight;
      if (flow.from_provider) at_provider += weight;
    }
    return all > 0 ? at_provider / all : 0;
  }

 private:
  const std::vector<Route>& routes_;
  std::vector<Flow> flows_;
};

// Over all routes: what the deployment feels, and what providers are asked for, who count what they
// have in a cache, too.
History without_routes(const History& history, const std::vector<Route>& routes) {
  History sum = history;
  sum.series.clear();
  const ProviderShare provider(routes);
  bool is_divided = false;
  for (const HistorySeries& series : history.series) {
    const auto resource = asked_of_provider(series.name);
    const bool is_shared = resource || series.name == kCachedColumn;
    const double share = is_shared || !series.route.empty() ? provider.of(series) : 0;
    is_divided |= share > 0 && share < 1;
    if (share < 1) add_to(&series_named(series.name, &sum), series, 1 - share);
    if (share <= 0 || !resource) continue;
    const bool is_count = !find_resource(series.name).has_value();
    add_to(&series_named(facts_of(*resource).name, &sum), series,
           share * kSecondsPerMinute / (is_count ? history.step_s : 1));
  }
  if (is_divided) {
    sum.notes.emplace_back(
        "the history does not tell its routes apart: providers answer as much of it as of the "
        "routes in the forecast's file");
  }
  return sum;
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
  std::vector<std::string> names;
  for (const ResourceFacts& facts : resources()) names.emplace_back(facts.name);
  for (const CountColumn& count : kCounts) names.emplace_back(count.name);
  names.emplace_back(kCachedColumn);
  names.emplace_back(kRetriesColumn);
  for (const Figure& column : kLatencyColumns) names.push_back(column.key());
  return names;
}

Diagnostic not_demand(const std::string& path, const std::string& column) {
  Diagnostic what{path, 1, 0, "", "", {}};
  if (column == kCachedColumn) {
    what.message = "the column \"cached_prompt_tokens\" has no \"prompt_tokens\" beside it";
    what.hint = "it is a part of them; add the count of all prompt tokens";
  } else {
    what.message = "no resource has the name of column \"" + column + "\"";
    what.hint = suggestion(column, known_columns());
  }
  return what;
}

bool is_no_demand(const HistorySeries& series) {
  return series.name == kRetriesColumn ||
         std::ranges::count(kLatencyColumns, series.name, &Figure::key) > 0;
}

std::span<const double> last_weeks(const HistorySeries& series, double step_s) {
  constexpr double kWeeksS = 28 * kDayS;
  const auto count = static_cast<std::size_t>(std::max(1.0, kWeeksS / step_s));
  return std::span(series.values).last(std::min(count, series.values.size()));
}

// `windows`: the same columns, a value for each day or step.
std::optional<double> share_of_windows(const DemandHistory& demand, const History& windows) {
  const auto column = [&](Resource resource) {
    return std::ranges::find(demand.columns, resource, [](const auto& each) { return each.first; });
  };
  auto found = column(Resource::provider_requests);
  if (found == demand.columns.end()) found = column(Resource::requests);
  if (found == demand.columns.end()) return std::nullopt;
  const auto steps = last_weeks(demand.history.series[found->second], demand.history.step_s);
  const double peaks = mean_of(last_weeks(windows.series[found->second], windows.step_s));
  if (peaks <= 0) return std::nullopt;
  return std::min(1.0, mean_of(steps) / peaks);
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

constexpr double kNearly = 1e-6;  // of a step

std::string moment(const History& history, double time_s) {
  return history.dated ? iso_time(time_s) : shortest(time_s) + " s";
}

}  // namespace

const HistorySeries* DemandHistory::find(Resource resource) const {
  for (const auto& [known, column] : columns) {
    if (known == resource) return &history.series[column];
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
  DemandHistory demand;
  demand.history = without_routes(history, routes);
  subtract_cached(&demand.history);
  std::erase_if(demand.history.series, is_no_demand);
  for (std::size_t i = 0; i < demand.history.series.size(); ++i) {
    HistorySeries& series = demand.history.series[i];
    if (const auto resource = resource_of(&series, demand.history.step_s)) {
      demand.columns.emplace_back(*resource, i);
    } else {
      return fail(ErrorKind::spec, not_demand(path, series.name));
    }
  }
  return demand;
}

HistoryOptions options_of(const HistoryRequest& request) {
  HistoryOptions options;
  options.zone = request.zone;
  options.fill_gaps = request.fill_gaps;
  options.columns = request.columns;
  options.route_label = request.route_label;
  return options;
}

Result<void> check_routes(const History& history, const std::string& path,
                          const std::vector<Route>& routes) {
  std::vector<std::string> names;
  for (const Route& route : routes) names.push_back(route.name);
  for (const HistorySeries& series : history.series) {
    if (series.route.empty() || std::ranges::count(names, series.route) > 0) continue;
    return fail(ErrorKind::spec, path + ": the forecast has no route \"" + series.route + "\"",
                suggestion(series.route, names));
  }
  return {};
}

Result<DemandHistory> read_demand(const HistoryRequest& request, const std::vector<Route>& routes) {
  TRY_TO(check_options(request));
  TRY(read, request.format ? read_trace_history(request.path, *request.format, request.step_s)
                           : read_history(request.path, options_of(request)));
  TRY_TO(check_routes(read, request.path, routes));
  TRY(found, demand_in(read, request.path, routes));
  DemandHistory demand = std::move(found);
  for (const auto& [resource, column] : demand.columns) {
    demand.profiles.push_back(profile_of(demand.history, demand.history.series[column]));
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
  demand.routes = route_series(read, demand.history);
  return demand;
}

Result<DatedWindows> windows_of(const History& came, const std::string& path,
                                const DemandHistory& demand, std::size_t horizon) {
  const History& before = demand.history;
  if (came.dated != before.dated) {
    return fail(ErrorKind::spec,
                path + (came.dated ? " has dates, but the history counts seconds"
                                   : " counts seconds, but the history has dates"),
                "actuals begin where the history ends");
  }
  const double end_s = before.end_s();
  if (came.start_s < end_s - kNearly * before.step_s) {
    return fail(ErrorKind::spec,
                path + " begins at " + moment(came, came.start_s) +
                    ", before the history ends at " + moment(came, end_s),
                "give actuals from after the end of the history");
  }
  const double rows_each = std::round(before.step_s / came.step_s);
  if (rows_each < 1 || std::fabs(rows_each * came.step_s - before.step_s) > kNearly * came.step_s) {
    return fail(ErrorKind::spec,
                path + " has rows of " + shortest(came.step_s) +
                    " s, which do not fill the forecast's steps of " + shortest(before.step_s) +
                    " s",
                "give rows as those of the history");
  }
  const double first = std::ceil((came.start_s - end_s) / before.step_s - kNearly);
  const double skipped = (end_s + first * before.step_s - came.start_s) / came.step_s;
  if (std::fabs(skipped - std::round(skipped)) > kNearly * rows_each) {
    return fail(ErrorKind::spec,
                path + " begins at " + moment(came, came.start_s) +
                    ", in the middle of a row of the history",
                "give rows at the times of the history's");
  }
  const double whole =
      std::floor((static_cast<double>(came.size()) - skipped) / rows_each + kNearly);
  const double count = std::min(whole, static_cast<double>(horizon) - first);
  if (count < 1) {
    return fail(ErrorKind::spec,
                path + " fills no step of the forecast, which reaches from " + moment(came, end_s) +
                    " to " + moment(came, end_s + static_cast<double>(horizon) * before.step_s),
                "its steps are " + shortest(before.step_s) + " s long");
  }
  DatedWindows windows;
  windows.first = static_cast<std::size_t>(first);
  windows.count = static_cast<std::size_t>(count);
  windows.rows_each = static_cast<std::size_t>(rows_each);
  windows.rows_before = static_cast<std::size_t>(std::round(skipped));
  return windows;
}

std::vector<double> in_windows(std::span<const double> rows, const DatedWindows& windows,
                               bool daily_peaks) {
  std::vector<double> values;
  for (std::size_t i = 0; i < windows.count; ++i) {
    const auto each = rows.subspan(windows.rows_before + i * windows.rows_each, windows.rows_each);
    values.push_back(daily_peaks ? Percentiles<double>({each.begin(), each.end()}).at(kPeakOfDay)
                                 : std::accumulate(each.begin(), each.end(), 0.0) /
                                       static_cast<double>(each.size()));
  }
  return values;
}

}  // namespace plimsoll
