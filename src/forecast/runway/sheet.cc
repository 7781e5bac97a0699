#include "forecast/runway/sheet.h"

#include <array>
#include <cmath>
#include <numeric>

#include "base/calendar.h"
#include "base/text.h"
#include "forecast/headroom/money.h"
#include "forecast/runway/bill.h"
#include "stats/average.h"

namespace plimsoll {
namespace {

constexpr double kAcceptedRisk = 0.05;
constexpr double kHourS = 3600;

/// Another resource by requests/s: in proportion, but never less than what is there anyway.
struct Proportion {
  double factor = 1;
  double least = 0;

  double of(double requests) const { return std::max(least, factor * requests); }
};

Outlook by_requests(Outlook outlook, const Proportion& proportion) {
  const auto change = [&](auto& values) {
    for (double& value : values) value = proportion.of(value);
  };
  change(outlook.point);
  for (BandQuantiles& band : outlook.bands) change(band);
  for (std::vector<double>& path : outlook.paths) change(path);
  return outlook;
}

// GPUs stand there whatever comes, and more are needed beyond what they carry.
Proportion proportion_of(Resource resource, double each, double forecast,
                         const HeadroomSheet& headroom) {
  const bool stands = resource == Resource::gpus || resource == Resource::budget;
  if (!stands || !headroom.forecast || headroom.forecast->line.factor <= 0) return {each, 0};
  const double carried = headroom.forecast->line.factor;  // of the forecast
  return {each / std::max(1.0, carried), forecast * std::min(1.0, carried)};
}

const SheetRow* row_of(const HeadroomSheet& headroom, Resource resource) {
  const auto found = std::ranges::find(headroom.rows, resource, &SheetRow::resource);
  return found == headroom.rows.end() ? nullptr : &*found;
}

// Where providers are paid: what GPUs cost stays in proportion to the peaks that they carry. None
// where nothing is bought by the token.
std::optional<Outlook> bill_ahead(const ForecastRequest& request, const DemandHistory& history,
                                  std::span<const DemandOutlook> outlooks,
                                  const HeadroomSheet& headroom) {
  const DemandOutlook* requests = paid_of(outlooks);
  const double tokens = provider_usd_per_month(request, flows_of(request.forecast)).value_or(0);
  const SheetRow* row = row_of(headroom, Resource::budget);
  const SheetRow* of = requests == nullptr ? nullptr : row_of(headroom, requests->resource);
  if (tokens <= 0 || of == nullptr || of->forecast_p95.value_or(0) <= 0) return std::nullopt;
  const double mean = mean_of(requests->outlook.point);
  if (mean <= 0) return std::nullopt;
  const double gpus = std::max(0.0, row->forecast_p95.value_or(0) - tokens);
  const Proportion standing =
      proportion_of(Resource::budget, gpus / *of->forecast_p95, gpus, headroom);
  return bill_of(requests->outlook, history.find(requests->resource)->values, history.history.dated,
                 history.history.zone_s,
                 [&](double demand) { return standing.of(demand) + tokens * demand / mean; });
}

void note_age(RunwaySheet* sheet) {
  const double age_s = sheet->now_s - sheet->history_end_s;
  if (age_s < sheet->window_s) return;
  sheet->notes.push_back("the history ends " + shortest(age_s / kDayS) + " days before " +
                         iso_time(sheet->now_s) + ", from which orders are counted");
}

// How often the steps of the history were above a line, and at which hour most of them.
void note_passed(const DemandHistory& demand, const RunwayRow& row, RunwaySheet* sheet) {
  const auto column =
      std::ranges::find(demand.columns, row.resource, &std::pair<Resource, std::size_t>::first);
  if (column == demand.columns.end()) return;
  const History& steps = demand.daily_peaks ? demand.steps : demand.history;
  const std::vector<double>& values = steps.series[column->second].values;
  std::array<std::int64_t, 24> by_hour{};
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double time_s = steps.start_s + steps.zone_s + steps.step_s * static_cast<double>(i);
    const double of_day = time_s - kDayS * std::floor(time_s / kDayS);
    if (values[i] > row.line)
      ++by_hour[std::min<std::size_t>(23, static_cast<std::size_t>(of_day / kHourS))];
  }
  const auto passed = std::accumulate(by_hour.begin(), by_hour.end(), std::int64_t{0});
  if (passed == 0) return;
  const auto most = std::ranges::max_element(by_hour) - by_hour.begin();
  const bool has_hours = steps.dated && steps.step_s <= kHourS;
  sheet->notes.push_back(std::string(facts_of(row.resource).title) + " exceeded " +
                         three_digits(row.line) + " in " + std::to_string(passed) + " of " +
                         counted(std::ssize(values), "step") + " of the history" +
                         (has_hours ? ", most often at " + std::to_string(most) + ":00" : ""));
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
    const SheetRow* sheet_row = row_of(headroom, row.resource);
    const bool is_given = sheet_row != nullptr && sheet_row->capacity_from == Provenance::given;
    if (row.resource == Resource::requests) {
      loads.push_back({&row.outlook, is_given ? carried : std::min(row.line, carried)});
    } else if (!is_given) {
      loads.push_back({&row.outlook, row.line});
    }
  }
  return loads;
}

bool RunwaySheet::too_short() const {
  return std::ranges::any_of(rows, [](const RunwayRow& row) { return row.outlook.too_short; });
}

std::optional<ResourceOutlook> outlook_of(Resource resource,
                                          std::span<const DemandOutlook> outlooks,
                                          const HeadroomSheet& headroom) {
  if (const DemandOutlook* own = find_outlook(outlooks, resource)) {
    return ResourceOutlook{own->outlook, false};
  }
  const DemandOutlook* requests = requests_of(outlooks);
  if (requests == nullptr) return std::nullopt;
  const SheetRow* of = row_of(headroom, requests->resource);
  const SheetRow* row = row_of(headroom, resource);
  const bool grows = resource != Resource::queue_delay && resource != Resource::context_tokens;
  if (of == nullptr || row == nullptr || !grows) return std::nullopt;
  if (!row->forecast_p95 || !of->forecast_p95 || *of->forecast_p95 <= 0) return std::nullopt;
  const double each = *row->forecast_p95 / *of->forecast_p95;
  const Proportion proportion = proportion_of(resource, each, *row->forecast_p95, headroom);
  return ResourceOutlook{by_requests(requests->outlook, proportion), true};
}

RunwaySheet find_runway(const ForecastRequest& request, const DemandHistory& history,
                        std::span<const DemandOutlook> outlooks, const HeadroomSheet& headroom) {
  RunwaySheet sheet;
  sheet.dated = history.history.dated;
  sheet.zone_s = history.history.zone_s;
  sheet.daily_peaks = history.daily_peaks;
  sheet.window_s = history.history.step_s;
  sheet.history_end_s = history.history.end_s();
  sheet.now_s = std::max(sheet.history_end_s, request.history.as_of_s.value_or(0));
  sheet.notes = history.history.notes;
  note_age(&sheet);
  for (const SheetRow& row : headroom.rows) {
    if (!row.capacity) continue;
    auto ahead = outlook_of(row.resource, outlooks, headroom);
    if (!ahead) continue;
    if (row.resource == Resource::budget && ahead->in_proportion) {
      if (auto bill = bill_ahead(request, history, outlooks, headroom)) {
        ahead->outlook = std::move(*bill);
        sheet.notes.emplace_back(
            "the bill is that of a calendar month so far: it is over the budget from the day on "
            "that spends the rest of it");
      }
    }
    RunwayRow out;
    out.resource = row.resource;
    out.line = *row.capacity;
    out.line_interval = row.capacity_interval;
    out.in_proportion = ahead->in_proportion;
    out.peak = ahead->outlook.peak();
    out.runway = crossing(ahead->outlook, out.line, out.line_interval);
    out.order = order_by(out.runway, sheet.now_s, request.history.lead_time_days * kDayS,
                         request.history.cold_start_s, kAcceptedRisk);
    out.outlook = std::move(ahead->outlook);
    note_passed(history, out, &sheet);
    sheet.rows.push_back(std::move(out));
  }
  return sheet;
}

}  // namespace plimsoll
