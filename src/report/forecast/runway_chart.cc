// The runway as pictures: what is expected of the resource that runs out first, and the GPUs that
// the load needs.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "base/lists.h"
#include "base/text.h"
#include "forecast/answer/choices.h"
#include "report/forecast/words.h"
#include "report/form/page.h"
#include "report/form/svg.h"

namespace plimsoll {
namespace {

constexpr double kChartDay = 86'400;
constexpr double kChartHour = 3600;
constexpr double kShowDates = 4 * kChartDay;
constexpr double kRoomAbove = 1.12;
constexpr std::size_t kMostDrawn = 160;  // steps
constexpr std::size_t kMedianBand = kBandPercents.size() / 2;

/// Dates where there are days of them, else the time since the present.
class TimeAxis {
 public:
  TimeAxis(const RunwaySheet& sheet, double present_s, double span_s)
      : dates_(sheet.dated && span_s >= kShowDates) {
    unit_s_ = span_s >= kShowDates ? kChartDay : kChartHour;
    zero_s_ = dates_ ? 0 : present_s;
    label_ = dates_ ? "month-day"
                    : fmt::format("{} from {}", unit_s_ == kChartDay ? "days" : "hours",
                                  moment_text(sheet, present_s));
  }

  double at(double time_s) const { return (time_s - zero_s_) / unit_s_; }
  Axis axis(double from_s, double to_s) const {
    Axis axis{label_, at(from_s), at(to_s)};
    axis.dates = dates_;
    return axis;
  }

 private:
  bool dates_;
  double unit_s_ = 1;
  double zero_s_ = 0;
  std::string label_;
};

// So that ticks have few digits.
struct Scale {
  double of = 1;
  const char* word = "";
};

Scale scale_for(double most) {
  if (most >= 1e9) return {1e9, "billion "};
  if (most >= 1e6) return {1e6, "million "};
  return most >= 1e4 ? Scale{1e3, "thousand "} : Scale{};
}

// The one that the decision names, if it has a history.
const RunwayRow* shown_row(const ForecastReport& r) {
  const RunwayRow* first = r.runway->first_to_run_out();
  if (first != nullptr && first->runway.time_at(0.5)) return first;
  const std::vector<RunwayRow>& rows = r.runway->rows;
  const auto is_binding = [&](const RunwayRow& row) { return row.resource == r.headroom.binding; };
  if (const RunwayRow* binding = find_where(rows, is_binding)) return binding;
  return first != nullptr || rows.empty() ? first : &rows.front();
}

// As many values of the past as there are of the future.
std::vector<double> recent(const ForecastReport& r, const RunwayRow& row) {
  if (!r.history) return {};
  const HistorySeries* series = r.history->find(row.resource, row.provider);
  if (series == nullptr) return {};
  const std::vector<double>& all = series->values;
  const auto count = std::min(all.size(), std::max<std::size_t>(row.outlook.horizon(), 14));
  return {all.end() - static_cast<std::ptrdiff_t>(count), all.end()};
}

std::string crossing_text(const RunwaySheet& sheet, const RunwayRow& row) {
  const std::string what = title_of(row);
  if (!row.runway.known) return what + ": the history is too short for a date";
  const auto half = row.runway.time_at(0.5);
  const auto early = row.runway.time_at(0.1);
  if (half) {
    const double chance = row.runway.probability();
    const bool is_sure = row.runway.time_at(0.9) == half;
    return is_sure ? fmt::format("{} exceed capacity by {} ({} chance)", what,
                                 moment_text(sheet, *half), percent(chance))
                   : fmt::format("{} exceed capacity by {} (50 % chance)", what,
                                 moment_text(sheet, *half));
  }
  if (early) {
    return fmt::format("{} may exceed capacity by {} (10 % chance)", what,
                       moment_text(sheet, *early));
  }
  return fmt::format("{} stay below capacity (90 % confidence)", what);
}

// Of what came on the dates of the fan; null without any.
const ActualRow* came_of(const ForecastReport& r, const RunwayRow& row) {
  if (!r.actuals || !row.provider.empty()) return nullptr;
  return find_in(r.actuals->rows, facts_of(row.resource).name, &ActualRow::name);
}

std::string fan_figure(const ForecastReport& r, const RunwayRow& row) {
  const Outlook& outlook = row.outlook;
  const std::vector<double> past = recent(r, row);
  const double present = outlook.start_s;
  const double from = present - outlook.step_s * static_cast<double>(past.size());
  const double end = outlook.time_of(outlook.horizon());
  const TimeAxis time(*r.runway, present, end - present);
  double most = row.line;
  for (const double value : past) most = std::max(most, value);
  for (const BandQuantiles& band : outlook.bands) most = std::max(most, band.back());
  const ActualRow* came = came_of(r, row);
  if (came != nullptr) most = std::max(most, std::ranges::max(came->came));
  const Scale scale = scale_for(most);
  const ResourceFacts& facts = facts_of(row.resource);
  const std::string finding = crossing_text(*r.runway, row);
  Chart chart(time.axis(from, end),
              {std::string(scale.word) + std::string(facts.title), 0, kRoomAbove * most / scale.of},
              finding);
  const std::size_t every = outlook.horizon() / kMostDrawn + 1;
  const auto line_of = [&](std::size_t quantile) {
    Chart::Points points;
    for (std::size_t i = 0; i < outlook.horizon(); i += every) {
      points.emplace_back(time.at(outlook.time_of(i)), outlook.bands[i][quantile] / scale.of);
    }
    return points;
  };
  for (std::size_t q = 0; q < kMedianBand; ++q) {
    chart.band(line_of(q), line_of(kBandPercents.size() - 1 - q));
  }
  Chart::Points known;
  for (std::size_t i = (past.size() + every - 1) % every; i < past.size(); i += every) {
    known.emplace_back(time.at(from + outlook.step_s * static_cast<double>(i)), past[i] / scale.of);
  }
  chart.line(known, "other");
  Chart::Points median = line_of(kMedianBand);
  if (!known.empty()) median.insert(median.begin(), known.back());
  chart.line(median, "main");
  for (std::size_t i = 0; came != nullptr && i < came->came.size(); i += every) {
    chart.dot(time.at(outlook.time_of(came->first + i)), came->came[i] / scale.of, "dot", 2.5,
              amount_text(came->came[i]));
  }
  chart.limit_y(row.line / scale.of, "load line " + amount_text(row.line));
  const std::string covered =
      came == nullptr ? ""
                      : fmt::format(" Dots: actuals, {} of {} dates within the 90 % band.",
                                    came->dates_inside, came->dates);
  const std::string thinned =
      every == 1 ? "" : fmt::format(" The chart shows one in {} values.", every);
  return page_figure(
      finding,
      fmt::format("{}. Thin: history. Bold: the median forecast, with bands of {} to {} %, "
                  "{} to {} % and {} to {} %.{}{}",
                  r.runway->daily_peaks ? "Busiest step of each day" : "Each value of the history",
                  kBandPercents[0], kBandPercents[6], kBandPercents[1], kBandPercents[5],
                  kBandPercents[2], kBandPercents[4], covered, thinned),
      chart.svg());
}

// With what is to be ordered, in the words of the decision: the chart must not seem to say another
// number.
std::string gpu_finding(const ForecastReport& r, std::int64_t deployed, const std::string& date) {
  const GpuQuantiles& top = r.runway->gpu_plan.most;
  const std::optional<GpuOrder> order = gpus_to_order(r);
  const std::string start =
      fmt::format("{} deployed; by {} the load needs", counted(deployed, "GPU"), date);
  if (!order) return fmt::format("{} up to {}", start, top[kMedianBand]);
  if (order->survives) {
    return fmt::format("{} up to {}, and {} more survive the loss of {}", start, top[kMedianBand],
                       order->gpus, name_of(*order->survives));
  }
  return fmt::format("{} {} more{}", start, order->gpus,
                     order->is_with_confidence ? " (" + confidence_text() + ")" : "");
}

std::string gpu_figure(const ForecastReport& r) {
  const RunwaySheet& sheet = *r.runway;
  const std::vector<GpuNeed>& steps = sheet.gpu_plan.steps;
  const GpuQuantiles& top = sheet.gpu_plan.most;
  if (steps.size() < 2) return {};
  const GpuNeed& last = steps.back();
  const double start = steps.front().time_s;
  const double end = last.time_s + sheet.window_s;
  const TimeAxis time(sheet, start, end - start);
  const SheetRow* quota = r.headroom.row_of(Resource::gpus);
  const std::optional<double> limit = quota != nullptr ? quota->capacity : std::nullopt;
  const auto deployed = static_cast<std::int64_t>(std::llround(r.gpus));
  double most = std::max(limit.value_or(0), r.gpus);
  for (const GpuNeed& need : steps) most = std::max(most, static_cast<double>(need.gpus.back()));
  const std::string range = top.front() == top.back()
                                ? std::to_string(top.front())
                                : fmt::format("{} to {}", top.front(), top.back());
  const std::string finding = gpu_finding(r, deployed, moment_text(sheet, last.time_s));
  Axis up{"GPUs", 0, kRoomAbove * most};
  up.whole = true;
  Chart chart(time.axis(start, end), up, finding);
  const auto line_of = [&](std::size_t quantile) {
    Chart::Points points;
    for (std::size_t i = 0; i < steps.size(); i += steps.size() / kMostDrawn + 1) {
      const GpuNeed& need = steps[i];
      points.emplace_back(time.at(need.time_s), static_cast<double>(need.gpus[quantile]));
    }
    return points;
  };
  chart.band(line_of(0), line_of(kBandPercents.size() - 1));
  chart.line(line_of(kMedianBand), "main", true);
  if (deployed > 0) chart.reference_y(r.gpus, "deployed: " + counted(deployed, "GPU"));
  if (limit) chart.limit_y(*limit, "to be had: " + counted(std::llround(*limit), "GPU"));
  return page_figure(
      finding,
      fmt::format("GPUs needed: the median of each step, with {} to {} %. At the peak {}.",
                  kBandPercents.front(), kBandPercents.back(), range),
      chart.svg());
}

}  // namespace

std::string runway_figures(const ForecastReport& r) {
  if (!r.runway) return {};
  const RunwayRow* row = shown_row(r);
  std::string figures;
  if (row != nullptr && row->outlook.horizon() > 0) figures += fan_figure(r, *row);
  return figures + gpu_figure(r);
}

}  // namespace plimsoll
