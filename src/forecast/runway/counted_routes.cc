#include "forecast/runway/counted_routes.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "base/lists.h"
#include "base/text.h"
#include "forecast/runway/demand_growth.h"
#include "forecast/runway/demand_history.h"
#include "forecast/runway/route_history.h"

namespace plimsoll {
namespace {

constexpr const char* kOnlyRoute = "all";
constexpr std::string_view kVllmCounters[]{"vllm:request_success_total", "vllm:prompt_tokens_total",
                                           "vllm:generation_tokens_total"};
static_assert(std::size(kVllmCounters) == kCountColumns.size());

// By a count per step, or by a rate; a series in which nothing ever came is none.
bool has_counts(const History& history, const std::string& route, const CountColumn& column) {
  return std::ranges::any_of(history.series, [&](const HistorySeries& series) {
    const bool is_column =
        series.name == column.name || series.name == facts_of(column.resource).name;
    return is_column && series.route == route &&
           std::ranges::any_of(series.values, [](double value) { return value > 0; });
  });
}

Result<void> check_counts(const History& history, const std::string& route,
                          const std::string& path) {
  std::vector<std::string> columns;
  std::vector<std::string> counters;
  for (std::size_t i = 0; i < kCountColumns.size(); ++i) {
    if (has_counts(history, route, kCountColumns[i])) continue;
    columns.emplace_back(kCountColumns[i].name);
    counters.emplace_back(kVllmCounters[i]);
  }
  // Of a route that nobody asked for anything there is nothing to be known.
  if (columns.empty() || columns.size() == kCountColumns.size()) return {};
  return fail_in(ErrorKind::spec, path,
                 "no routes are stated, and the history does not count " + join(columns, ", ") +
                     (route.empty() ? "" : " of route \"" + route + "\""),
                 "add " + join(counters, " and ") +
                     " to the query (in a CSV file, a column of that name), or state the routes "
                     "beside the history: routes: {chat: {requests_per_s: 1, prompt_tokens: 1000, "
                     "output_tokens: 200}}");
}

std::vector<Route> routes_named_in(const History& history) {
  std::vector<Route> routes;
  for (const HistorySeries& series : history.series) {
    const std::string name = series.route.empty() ? kOnlyRoute : series.route;
    if (contains(routes, name, &Route::name)) continue;
    Route& route = routes.emplace_back();
    route.name = name;
    route.requests_per_s = route.prompt_tokens = route.output_tokens = 1;  // until they are scaled
  }
  return routes;
}

}  // namespace

Result<std::vector<Route>> counted_routes(const History& history, const std::string& path) {
  std::vector<std::string> routes;
  for (const HistorySeries& series : history.series) add_once(&routes, series.route);
  for (const std::string& route : routes) TRY_TO(check_counts(history, route, path));
  History all;  // as a single window
  all.start_s = history.start_s;
  all.step_s = history.step_s * static_cast<double>(history.size());
  all.series = {{"", "", {0}}};
  const MeanRoutes means = mean_routes(history, all);
  if (means.attempts.empty() || means.attempts.front() <= 0) {
    return fail_in(ErrorKind::spec, path, "the history counts no request",
                   "ask for a time in which requests came");
  }
  return routes_in(means, 0, routes_named_in(history));
}

std::string note_on_counted_routes(const ForecastRequest& request) {
  const Route& first = request.baseline.front();
  std::string note = "no routes are stated: ";
  if (request.baseline.size() > 1) {
    note += "they are the " + counted(std::ssize(request.baseline), "route") +
            " of the history, with the prompts and answers that it counts";
  } else {
    note +=
        "all requests are taken to be alike, with the mean prompt and answer that the history "
        "counts";
  }
  if (request.says_lengths || (first.prompt_cv && first.output_cv)) return note;
  const std::string assumed = first.prompt_cv ? "answers" : first.output_cv ? "prompts" : "lengths";
  return note + "; " + assumed + " are taken to vary by " + percent(request.load.length_cv) +
         " (\"length_cv\" of \"traffic\")";
}

// The burstiness and the spread of lengths that routes take from a history.

void follow_shape(History* history, ForecastRequest* request) {
  std::vector<std::string> said;
  const TrafficShape& shape = history->shape;
  if (shape.arrival_cv && !request->says_arrivals) {
    request->load.arrival = arrivals_of(*shape.arrival_cv);
    said.push_back("arrivals " + three_digits(*shape.arrival_cv));
  }
  const auto follow_lengths = [&](const std::optional<double>& cv,
                                  std::optional<double> Route::*member, const char* what) {
    if (!cv || request->says_lengths) return;
    bool is_followed = false;
    for (std::vector<Route>* routes : {&request->baseline, &request->forecast}) {
      for (Route& route : *routes) {
        if (route.*member) continue;
        route.*member = cv;
        is_followed = true;
      }
    }
    if (is_followed) said.push_back(what + three_digits(*cv));
  };
  follow_lengths(shape.prompt_cv, &Route::prompt_cv, "prompts ");
  follow_lengths(shape.output_cv, &Route::output_cv, "answers ");
  if (!said.empty()) {
    history->notes.push_back("coefficients of variation are those of the history: " +
                             join(said, ", "));
  }
}

}  // namespace plimsoll
