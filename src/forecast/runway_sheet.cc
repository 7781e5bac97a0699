#include "forecast/runway_sheet.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/text.h"
#include "forecast/history.h"
#include "forecast/money.h"
#include "forecast/observed_columns.h"

namespace plimsoll {
namespace {

constexpr double kDay = 86'400;
constexpr double kPeak = 95;        // percentile of a day
constexpr double kFewestDays = 14;  // of history, for daily peaks
constexpr double kFewestADay = 4;   // values
constexpr double kAcceptedRisk = 0.05;
constexpr std::size_t kMedian = 3;  // of kBandPercents
constexpr std::size_t kHighest = 6;

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

// Over all routes: what the deployment feels.
History without_routes(const History& history) {
  History sum = history;
  sum.series.clear();
  for (const HistorySeries& series : history.series) {
    auto known = std::ranges::find(sum.series, series.name, &HistorySeries::name);
    if (known == sum.series.end()) {
      sum.series.push_back(series);
      sum.series.back().route.clear();
      continue;
    }
    // Waits do not add up.
    const bool is_delay = series.name == facts_of(Resource::queue_delay).name;
    for (std::size_t i = 0; i < series.values.size(); ++i) {
      double& sum_of_routes = known->values[i];
      sum_of_routes =
          is_delay ? std::max(sum_of_routes, series.values[i]) : sum_of_routes + series.values[i];
    }
  }
  return sum;
}

// Those that were found in the cache are not computed.
void subtract_cached(History* history) {
  const auto cached =
      std::ranges::find(history->series, "cached_prompt_tokens", &HistorySeries::name);
  const auto all = std::ranges::find(history->series, "prompt_tokens", &HistorySeries::name);
  if (cached == history->series.end() || all == history->series.end()) return;
  for (std::size_t i = 0; i < all->values.size(); ++i) {
    all->values[i] = std::max(0.0, all->values[i] - cached->values[i]);
  }
  history->series.erase(cached);
}

bool is_no_demand(const HistorySeries& series) {
  return series.name == kRetriesColumn ||
         std::ranges::count(kLatencyColumns, series.name, &LatencyColumn::name) > 0;
}

std::vector<std::string> known_columns() {
  std::vector<std::string> names;
  for (const ResourceFacts& facts : resources()) names.emplace_back(facts.name);
  for (const CountColumn& count : kCounts) names.emplace_back(count.name);
  names.emplace_back("cached_prompt_tokens");
  names.emplace_back(kRetriesColumn);
  for (const LatencyColumn& column : kLatencyColumns) names.emplace_back(column.name);
  return names;
}

const HistorySeries* series_of(const DemandHistory& history, Resource resource) {
  for (const auto& [known, column] : history.columns) {
    if (known == resource) return &history.history.series[column];
  }
  return nullptr;
}

Result<Outlook> outlook_of(const DemandHistory& demand, const HistorySeries& series,
                           double horizon_days) {
  OutlookOptions options;
  const double steps = std::ceil(horizon_days * kDay / demand.history.step_s);
  options.horizon = static_cast<std::size_t>(std::max(1.0, steps));
  return look_ahead(demand.history, series, options);
}

/// The demand at the highest point that is expected, now and then.
struct Growth95 {
  double now = 0;
  double then = 0;
  Interval band;
};

Result<std::optional<Growth95>> growth_of(const DemandHistory& demand, Resource resource,
                                          double horizon_days) {
  const HistorySeries* series = series_of(demand, resource);
  if (series == nullptr) return std::optional<Growth95>();
  auto outlook = outlook_of(demand, *series, horizon_days);
  if (!outlook) return pass_on(outlook);
  const auto top = std::ranges::max_element(outlook->bands, {},
                                            [](const BandQuantiles& q) { return q[kMedian]; });
  Growth95 growth;
  growth.then = (*top)[kMedian];
  growth.band = {(*top).front(), (*top)[kHighest]};
  // The last season, or the last week of days.
  std::vector<double> recent = series->values;
  const std::size_t span = std::max<std::size_t>(outlook->season, 7);
  if (recent.size() > span) recent.erase(recent.begin(), recent.end() - static_cast<long>(span));
  growth.now = *std::ranges::max_element(recent);
  return std::optional(growth);
}

bool says_what_will_be(const ForecastRequest& request) {
  for (std::size_t i = 0; i < request.baseline.size(); ++i) {
    for (const RouteField& field : route_fields()) {
      if (request.baseline[i].*field.member != request.forecast[i].*field.member) return true;
    }
  }
  return false;
}

void multiply(double Route::*member, double factor, std::vector<Route>* routes) {
  for (Route& route : *routes) route.*member *= factor;
}

// So that the sum over the routes is `wanted`.
void scale_to(Resource resource, double Route::*member, double wanted, std::vector<Route>* routes) {
  const auto now = at(demand_of(flows_of(*routes)), resource);
  if (now && *now > 0) multiply(member, wanted / *now, routes);
}

void plan_gpus(const RunwayRow& requests, const HeadroomSheet& headroom, const Served& served,
               RunwaySheet* sheet) {
  const double deployed = served.instances() * static_cast<double>(served.gpus_per_instance);
  if (!headroom.forecast || headroom.forecast->line.factor <= 0) return;
  const double carried = headroom.forecast->line.factor * headroom.forecast->probe.rate_rps;
  const auto gpus = needed(requests.outlook, carried / deployed);
  for (std::size_t i = 0; i < gpus.size(); ++i) {
    sheet->gpus.push_back({requests.outlook.time_of(i), gpus[i]});
  }
  if (gpus.empty()) return;
  constexpr std::size_t kNinety = 5;
  std::int64_t most = 0;
  for (const auto& need : gpus) most = std::max(most, need[kNinety]);
  // Whole instances.
  const double more = std::max(0.0, static_cast<double>(most) - deployed);
  const auto each = static_cast<double>(served.gpus_per_instance);
  sheet->add_gpus = static_cast<std::int64_t>(std::ceil(more / each) * each);
  sheet->add_usd_per_month = usd_per_month(served, static_cast<double>(sheet->add_gpus));
}

}  // namespace

Result<DemandHistory> demand_in(const History& history, const std::string& path) {
  DemandHistory demand;
  demand.history = without_routes(history);
  subtract_cached(&demand.history);
  std::erase_if(demand.history.series, is_no_demand);
  for (std::size_t i = 0; i < demand.history.series.size(); ++i) {
    HistorySeries& series = demand.history.series[i];
    if (const auto resource = resource_of(&series, demand.history.step_s)) {
      demand.columns.emplace_back(*resource, i);
    } else {
      return fail(ErrorKind::spec,
                  path + ": no resource has the name of column \"" + series.name + "\"",
                  suggestion(series.name, known_columns()));
    }
  }
  return demand;
}

Result<DemandHistory> read_demand(const HistoryRequest& request) {
  HistoryOptions options;
  options.fill_gaps = request.fill_gaps;
  auto read = read_history(request.path, options);
  if (!read) return pass_on(read);
  auto found = demand_in(*read, request.path);
  if (!found) return pass_on(found);
  DemandHistory demand = std::move(*found);
  const double values = static_cast<double>(demand.history.size());
  const double days = values * demand.history.step_s / kDay;
  if (days >= kFewestDays && demand.history.step_s * kFewestADay <= kDay) {
    auto peaks = peaks_of(demand.history, kDay, kPeak);
    if (!peaks) return pass_on(peaks);
    peaks->notes = demand.history.notes;
    demand.history = std::move(*peaks);
    demand.daily_peaks = true;
  }
  return demand;
}

Result<void> continue_routes(const DemandHistory& history, ForecastRequest* request) {
  if (says_what_will_be(*request)) return {};
  struct Part {
    Resource resource;
    double Route::*member;
  };
  constexpr Part kParts[]{{Resource::requests, &Route::requests_per_s},
                          {Resource::prompt_tokens, &Route::prompt_tokens},
                          {Resource::output_tokens, &Route::output_tokens}};
  for (const Part& part : kParts) {
    auto growth = growth_of(history, part.resource, request->history.horizon_days);
    if (!growth) return pass_on(growth);
    if (!*growth) continue;
    scale_to(part.resource, part.member, (*growth)->now, &request->baseline);
    scale_to(part.resource, part.member, (*growth)->then, &request->forecast);
    if (part.resource != Resource::requests || (*growth)->then <= 0) continue;
    request->band =
        Interval{(*growth)->band.low / (*growth)->then, (*growth)->band.high / (*growth)->then};
  }
  return {};
}

Result<RunwaySheet> find_runway(const ForecastRequest& request, const DemandHistory& history,
                                const HeadroomSheet& headroom,
                                const std::optional<Served>& served) {
  RunwaySheet sheet;
  sheet.dated = history.history.dated;
  sheet.daily_peaks = history.daily_peaks;
  sheet.window_s = history.history.step_s;
  sheet.notes = history.history.notes;
  for (const SheetRow& row : headroom.rows) {
    const HistorySeries* series = series_of(history, row.resource);
    if (series == nullptr || !row.capacity) continue;
    auto outlook = outlook_of(history, *series, request.history.horizon_days);
    if (!outlook) return pass_on(outlook);
    RunwayRow out;
    out.resource = row.resource;
    out.line = *row.capacity;
    out.runway = crossing(*outlook, out.line);
    out.order = order_by(out.runway, request.history.lead_time_days * kDay,
                         request.history.cold_start_s, kAcceptedRisk);
    out.outlook = std::move(*outlook);
    if (row.resource == Resource::requests && served) plan_gpus(out, headroom, *served, &sheet);
    sheet.rows.push_back(std::move(out));
  }
  return sheet;
}

}  // namespace plimsoll
