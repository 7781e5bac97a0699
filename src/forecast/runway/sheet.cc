#include "forecast/runway/sheet.h"

#include <array>
#include <cmath>
#include <numeric>

#include <fmt/format.h>

#include "base/calendar.h"
#include "base/text.h"
#include "forecast/headroom/figures.h"
#include "forecast/headroom/provider_limits.h"
#include "forecast/runway/bill.h"

namespace plimsoll {
namespace {

constexpr double kHourS = 3600;

/// One of the two sides of the sheet.
struct Side {
  std::vector<Route> ForecastRequest::*routes;
  std::optional<double> GivenResource::*given;
  std::optional<double> SheetRow::*p95;
};
constexpr Side kBaseline{&ForecastRequest::baseline, &GivenResource::baseline,
                         &SheetRow::baseline_p95};
constexpr Side kForecast{&ForecastRequest::forecast, &GivenResource::forecast,
                         &SheetRow::forecast_p95};

// How much of a resource comes with each unit of the one that others move with; of all providers
// together. 0: not known.
double share_in_sheet(const ForecastRequest& request, const HeadroomSheet& headroom,
                      const SheetRow& of, Resource with, const Side& side) {
  const auto given = request.given.find(with);
  const bool is_given = given != request.given.end() && given->second.*side.given;
  const SheetRow* row = headroom.row_of(with);
  const double asked = with == Resource::provider_requests && !is_given
                           ? at(demand_of(flows_of(request.*side.routes)), with).value_or(0)
                       : row == nullptr ? 0
                                        : (row->*side.p95).value_or(0);
  return asked > 0 ? (of.*side.p95).value_or(0) / asked : 0;
}

// The mix of what comes changes on the way to the forecast, and with it what there is for it.
void note_moving(const SheetRow& line, RunwaySheet* sheet) {
  constexpr double kNoticed = 0.05;  // of searches that differ for no reason
  if (!line.capacity_now || std::fabs(*line.capacity_now / *line.capacity - 1) < kNoticed) return;
  sheet->notes.push_back(
      fmt::format("with the mix of today the capacity for {} is {}: dates go by "
                  "a capacity that moves from there to {} within the horizon",
                  facts_of(line.resource).title, three_digits(*line.capacity_now),
                  three_digits(*line.capacity)));
}

void note_age(const HistoryRequest& request, RunwaySheet* sheet) {
  if (request.as_of_s && *request.as_of_s < sheet->history_end_s) {
    sheet->notes.push_back("as_of is before " + iso_time(sheet->history_end_s) +
                           ", where the history ends and orders are counted from: it does not "
                           "shorten the history");
  }
  const double end_s = sheet->history_end_s + request.horizon_days * kDayS;
  if (sheet->now_s >= end_s) {
    sheet->notes.push_back("as_of is after the horizon, which ends on " + iso_time(end_s) +
                           ": nothing is known of the time from then on");
  } else if (sheet->now_s + request.lead_time_days * kDayS >= end_s) {
    sheet->notes.emplace_back(
        "an order takes longer than the horizon: set horizon_days beyond lead_time_days to see "
        "what "
        "it has to be enough for");
  }
  const double age_s = sheet->now_s - sheet->history_end_s;
  if (age_s < sheet->window_s) return;
  sheet->notes.push_back("the history ends " + shortest(age_s / kDayS) + " days before " +
                         iso_time(sheet->now_s) + ", from which orders are counted");
}

// How often the steps of the history were above a line, and at which hour most of them.
void note_passed(const DemandHistory& demand, const RunwayRow& row, RunwaySheet* sheet) {
  const HistorySeries* windows = demand.find(row.resource, row.provider);
  if (windows == nullptr) return;
  const History& steps = demand.daily_peaks ? demand.steps : demand.history;
  const std::vector<double>& values = steps.find(windows->name, windows->route)->values;
  const double line = row.line * row.now_of_line;
  std::array<std::int64_t, 24> by_hour{};
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double time_s = steps.start_s + steps.zone_s + steps.step_s * static_cast<double>(i);
    const double of_day = time_s - kDayS * std::floor(time_s / kDayS);
    if (values[i] > line)
      ++by_hour[std::min<std::size_t>(23, static_cast<std::size_t>(of_day / kHourS))];
  }
  const auto passed = std::accumulate(by_hour.begin(), by_hour.end(), std::int64_t{0});
  if (passed == 0) return;
  const auto most = std::ranges::max_element(by_hour) - by_hour.begin();
  const bool has_hours = steps.dated && steps.step_s <= kHourS;
  sheet->notes.push_back(std::string(facts_of(row.resource).title) +
                         (row.provider.empty() ? "" : " of " + row.provider) + " exceeded " +
                         three_digits(line) + " in " + std::to_string(passed) + " of " +
                         counted(std::ssize(values), "step") + " of the history" +
                         (has_hours ? ", most often at " + std::to_string(most) + ":00" : ""));
}

// Each provider that has a limit of its own on a resource; none where all share one.
std::vector<RunwayRow> rows_by_provider(const ForecastRequest& request,
                                        std::span<const DemandOutlook> outlooks,
                                        const SheetRow& row, const RunwaySheet& sheet) {
  std::vector<RunwayRow> rows;
  const bool is_limited =
      row.resource == Resource::provider_requests || row.resource == Resource::provider_tokens;
  if (!is_limited || !tightest_limit(request, flows_of(request.forecast), row.resource))
    return rows;
  for (const Provider& provider : request.providers) {
    const DemandOutlook* own = find_outlook(outlooks, row.resource, provider.name);
    const auto most = limit_of(provider, row.resource);
    if (own == nullptr || !most) continue;
    SheetRow line = row;
    line.capacity = most;
    rows.push_back(runway_row(request, line, {own->outlook, false, own->now}, sheet));
    rows.back().provider = provider.name;
  }
  return rows;
}

// Of today's mix, by the requests that the deployment carries.
double carried_now(const HeadroomSheet& headroom) {
  const PeakCheck& peak =
      headroom.mix_changes && headroom.baseline && headroom.baseline->line.factor > 0
          ? *headroom.baseline
          : *headroom.forecast;
  return peak.line.factor * peak.probe.rate_rps;
}

}  // namespace

std::vector<LoadAhead> loads_of(const RunwaySheet& sheet, const HeadroomSheet& headroom) {
  std::vector<LoadAhead> loads;
  if (!headroom.forecast || headroom.forecast->line.factor <= 0) return loads;
  const double carried = headroom.forecast->line.factor * headroom.forecast->probe.rate_rps;
  for (const RunwayRow& row : sheet.rows) {
    const bool is_carried =
        row.resource == Resource::requests || row.resource == Resource::prompt_tokens ||
        row.resource == Resource::output_tokens || row.resource == Resource::active_kv_tokens;
    if (!is_carried || row.line <= 0) continue;
    // What is given, such as the limit of a gateway, does not grow with GPUs.
    const SheetRow* sheet_row = headroom.row_of(row.resource);
    const bool is_given = sheet_row != nullptr && sheet_row->capacity_from == Provenance::given;
    if (row.resource == Resource::requests) {
      const double rate = headroom.forecast->probe.rate_rps;
      const Interval known = scaled(headroom.forecast->held(), rate);
      const bool is_own = !is_given && row.line < carried;
      loads.push_back(
          is_own
              ? LoadAhead{&row.outlook, row.line, row.line_interval, false, row.now_of_line}
              : LoadAhead{&row.outlook, carried, known, is_given, carried_now(headroom) / carried});
    } else if (!is_given) {
      loads.push_back({&row.outlook, row.line, row.line_interval, false, row.now_of_line});
    }
  }
  return loads;
}

bool is_found_by_gpus(Resource resource, std::span<const DemandOutlook> outlooks,
                      const HeadroomSheet& headroom) {
  const bool costs_gpus = resource == Resource::gpus || resource == Resource::budget;
  return costs_gpus && headroom.forecast && find_outlook(outlooks, resource) == nullptr;
}

const RunwayRow* RunwaySheet::first_to_run_out() const {
  const RunwayRow* first = nullptr;
  const auto rank = [](const RunwayRow& row) {
    return row.runway.time_at(kEvenOdds).value_or(INFINITY);
  };
  for (const RunwayRow& row : rows) {
    if (!row.runway.known) continue;
    if (first == nullptr || rank(row) < rank(*first) ||
        (rank(row) == rank(*first) && row.runway.probability() > first->runway.probability())) {
      first = &row;
    }
  }
  return first;
}

void lead_by_date(const RunwaySheet& sheet, HeadroomSheet* headroom) {
  const RunwayRow* first = sheet.first_to_run_out();
  if (first == nullptr || !first->runway.time_at(kEvenOdds)) return;
  const SheetRow* lengths = headroom->row_of(Resource::context_tokens);
  const bool fits = lengths == nullptr || lengths->utilisation().value_or(0) <= 1;
  if (fits) headroom->binding = first->resource;
}

double RunwaySheet::utc_of(double time_s) const {
  if (!clock) return time_s;
  const auto moments = clock->moments_of(std::llround(time_s + zone_s));
  return moments.empty() ? time_s : static_cast<double>(moments.front());
}

bool RunwaySheet::too_short() const {
  return std::ranges::any_of(rows, [](const RunwayRow& row) { return row.outlook.too_short; });
}

std::optional<ResourceOutlook> outlook_of(const ForecastRequest& request, Resource resource,
                                          std::span<const DemandOutlook> outlooks,
                                          const HeadroomSheet& headroom) {
  if (const DemandOutlook* own = find_outlook(outlooks, resource)) {
    return ResourceOutlook{own->outlook, false};
  }
  const DemandOutlook* requests = requests_of(outlooks);
  const bool grows = resource != Resource::queue_delay && resource != Resource::context_tokens &&
                     resource != Resource::gpus;
  if (requests == nullptr || !grows) return std::nullopt;
  const SheetRow* row = headroom.row_of(resource);
  if (row == nullptr) return std::nullopt;
  const double then = share_in_sheet(request, headroom, *row, requests->resource, kForecast);
  const double now = share_in_sheet(request, headroom, *row, requests->resource, kBaseline);
  if (then <= 0) return std::nullopt;
  const bool moves = headroom.mix_changes && now > 0;
  return ResourceOutlook{in_proportion(requests->outlook, moves ? now : then, then), true};
}

RunwayRow runway_row(const ForecastRequest& request, const SheetRow& line, ResourceOutlook ahead,
                     const RunwaySheet& sheet) {
  RunwayRow out;
  out.resource = line.resource;
  out.line = *line.capacity;
  out.line_interval = line.capacity_interval;
  if (line.capacity_now && out.line > 0) out.now_of_line = *line.capacity_now / out.line;
  out.by_requests = ahead.by_requests;
  const std::optional<double> now = ahead.now ? ahead.now : line.baseline_p95;
  out.is_over_now = now > out.line * out.now_of_line;
  out.peak = ahead.outlook.peak();
  out.runway = crossing(ahead.outlook, out.line, out.line_interval, out.now_of_line);
  out.order = order_by(out.runway, sheet.now_s, request.history.lead_time_days * kDayS,
                       request.history.cold_start_s, kAcceptedRisk);
  out.outlook = std::move(ahead.outlook);
  return out;
}

RunwaySheet find_runway(const ForecastRequest& request, const DemandHistory& history,
                        std::span<const DemandOutlook> outlooks, const HeadroomSheet& headroom) {
  RunwaySheet sheet;
  sheet.dated = history.history.dated;
  sheet.zone_s = history.history.zone_s;
  if (history.history.by_clock) {
    if (auto clock = TimeZone::named(request.history.zone)) sheet.clock = std::move(*clock);
  }
  sheet.daily_peaks = history.daily_peaks;
  sheet.window_s = history.history.step_s;
  sheet.history_end_s = history.history.end_s();
  sheet.now_s = std::max(sheet.history_end_s, request.history.as_of_s.value_or(0));
  sheet.notes = history.history.notes;
  note_age(request.history, &sheet);
  const auto add = [&](RunwayRow row) {
    note_passed(history, row, &sheet);
    sheet.rows.push_back(std::move(row));
  };
  for (const SheetRow& line : headroom.rows) {
    if (!line.capacity || is_found_by_gpus(line.resource, outlooks, headroom)) continue;
    std::vector<RunwayRow> own = rows_by_provider(request, outlooks, line, sheet);
    for (RunwayRow& row : own) add(std::move(row));
    if (!own.empty()) continue;
    auto ahead = outlook_of(request, line.resource, outlooks, headroom);
    if (!ahead) continue;
    note_moving(line, &sheet);
    if (line.resource == Resource::budget && ahead->by_requests) {
      if (auto bill = bill_ahead(history, nullptr, *line.capacity))
        ahead = ResourceOutlook{*bill, false, bill->usual.back()};
    }
    add(runway_row(request, line, std::move(*ahead), sheet));
  }
  return sheet;
}

}  // namespace plimsoll
