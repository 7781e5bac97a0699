// The runway in words: when something runs out, what to order by when, what to reserve, and what a
// reader must know of the histories behind that.
#include <algorithm>

#include <fmt/format.h>

#include "base/calendar.h"
#include "base/lists.h"
#include "base/text.h"
#include "forecast/outlook/outlook.h"
#include "report/forecast/words.h"
#include "report/form/page.h"

namespace plimsoll {
namespace {

// The grounds of a row: the method, or requests/s.
std::string method_text(const RunwayRow& row) {
  return row.by_requests ? "as requests" : name_of(forecast_methods(), row.outlook.method);
}

std::string moment_or(const RunwaySheet& sheet, const std::optional<double>& time,
                      const char* otherwise) {
  return time ? moment_text(sheet, *time) : std::string(otherwise);
}

std::vector<Column> runway_columns(const RunwaySheet& sheet) {
  std::vector<Column> columns{{"resource", {}, false},
                              {"capacity", {}},
                              {"peak ahead", {}},
                              {"chance", {}},
                              {"10 % by", {}, false},
                              {"50 % by", {}, false},
                              {"90 % by", {}, false},
                              {"order by", {}, false},
                              {"method", {}, false},
                              {"MASE", {}, true, {}, true},
                              {"90 % band held", {}, true, {}, true}};
  for (const RunwayRow& row : sheet.rows) {
    const bool known = row.runway.known;
    const auto& mase = row.outlook.mase;
    const auto& coverage = row.outlook.coverage;
    const char* otherwise = known ? "later" : "too short";
    add_row(&columns,
            {title_of(row), cell_text(row.resource, row.line),
             cell_text(row.resource, row.peak[3], Interval{row.peak.front(), row.peak.back()}),
             known ? percent(row.runway.probability()) : "-",
             moment_or(sheet, row.runway.time_at(0.1), otherwise),
             moment_or(sheet, row.runway.time_at(0.5), otherwise),
             moment_or(sheet, row.runway.time_at(0.9), otherwise), order_text(sheet, row),
             method_text(row), mase ? fmt::format("{:.2f}", *mase) : "-",
             coverage ? percent(*coverage) : "-"});
  }
  return columns;
}

// The GPUs that the highest load needs, and those to add; begins with ". ", empty if not known.
std::string gpu_plan_text(const RunwaySheet& sheet) {
  constexpr std::size_t kMiddle = kBandPercents.size() / 2;
  const GpuPlan& plan = sheet.gpu_plan;
  if (plan.steps.empty()) return {};
  std::string text = ". At its peak in that time the load needs " +
                     counted(plan.most[kMiddle], "GPU") +
                     (plan.most.front() == plan.most.back()
                          ? ""
                          : fmt::format(" (median; {} to {} with 90 % confidence)",
                                        plan.most.front(), plan.most.back()));
  if (plan.add_gpus <= 0 || sheet.too_short()) return text;
  const std::string certainty =
      plan.covers_error() ? "For " + confidence_text() + ", it takes" : "The order is for";
  text += fmt::format(". {} {}, {} more than deployed", certainty,
                      counted(plan.most[kNinety], "GPU"), grouped(plan.add_gpus));
  if (plan.add_usd_per_month)
    text += fmt::format(", for ${} a month", amount_text(*plan.add_usd_per_month));
  if (!plan.covers_error()) text += "; " + std::string(kNeverSure);
  return text;
}

// Says what to reserve, and what that saves; ends without a full stop.
std::string reserve_sentence(const ForecastReport& r, const ReservePlan& plan) {
  const std::string bill = fmt::format("${} a month", amount_text(plan.usd_per_month));
  if (plan.gpus == 0) return "nothing is worth a reservation: all on demand costs " + bill;
  const auto most = r.quota_of_gpus(plan.gpus);
  const std::string quota =
      most ? fmt::format("; first have the quota of {} raised", counted(*most, "GPU")) : "";
  const std::string spare = plan.spare <= 0 ? ""
                                            : fmt::format(" ({} of them to survive a loss)",
                                                          grouped(std::min(plan.spare, plan.gpus)));
  return fmt::format(
      "reserving {} of the GPUs needed over time{} and renting the rest costs least: "
      "{} on average, ${} [{}, {}] less than all on demand{}",
      grouped(plan.gpus), spare, bill, amount_text(plan.saving_usd_per_month),
      amount_text(plan.saving_band.low), amount_text(plan.saving_band.high), quota);
}

// Says how large and how uneven the demand is, and when it peaks: that of requests, or of the first
// column.
std::string history_text(const DemandHistory& history) {
  if (history.profiles.empty()) return {};
  std::size_t shown = 0;
  for (std::size_t i = 0; i < history.columns.size(); ++i) {
    if (history.columns[i].resource == Resource::requests) shown = i;
  }
  const DemandProfile& p = history.profiles[shown];
  std::string text = fmt::format("{}: p50 {}, p95 {}; coefficient of variation {}",
                                 facts_of(history.columns[shown].resource).title,
                                 amount_text(p.p50), amount_text(p.p95), three_digits(p.cv));
  if (const auto hour = p.peak_hour()) {
    text += fmt::format("; the peak hour is {:02}:00 {}, {} of the mean", *hour,
                        history.history.zone_s == 0 ? "UTC" : "local time",
                        percent(p.by_hour[static_cast<std::size_t>(*hour)]));
  }
  if (!p.by_weekday.empty()) {
    constexpr std::string_view kDays[]{"Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"};
    std::vector<std::string> days;
    for (std::size_t i = 0; i < p.by_weekday.size(); ++i) {
      days.push_back(fmt::format("{} {}", kDays[i], percent(p.by_weekday[i])));
    }
    text += "; by weekday, share of the mean: " + join(days, ", ");
  }
  return text + ".";
}

bool is_noted(const std::string& note, const std::vector<NotesOn>& all) {
  return std::ranges::any_of(
      all, [&](const NotesOn& each) { return std::ranges::count(each.notes, note) > 0; });
}

// The notes on the history and on each outlook, once each.
std::vector<std::string> runway_notes(const RunwaySheet& sheet) {
  std::vector<std::string> notes = sheet.notes;
  if (std::ranges::any_of(sheet.rows, &RunwayRow::by_requests)) {
    notes.emplace_back(
        "resources without a history move in proportion to requests, with the "
        "mix of the routes");
  }
  std::vector<NotesOn> own;
  for (const RunwayRow& row : sheet.rows) {
    if (!row.by_requests) own.push_back({title_of(row), row.outlook.notes});
  }
  for (const std::string& note : told_apart(own)) add_once(&notes, note);
  for (const RunwayRow& row : sheet.rows) {
    for (const std::string& note : row.outlook.notes) {
      if (!is_noted(note, own)) add_once(&notes, note);
    }
  }
  return notes;
}

}  // namespace

std::string moment_text(const RunwaySheet& sheet, double time_s) {
  if (!sheet.dated) return three_digits(time_s) + " s";
  constexpr double kDaySeconds = 86'400;
  constexpr std::size_t kDate = 10;  // "2026-11-22"
  if (sheet.window_s < kDaySeconds) return iso_time(sheet.utc_of(time_s));
  return iso_time(time_s + sheet.zone_s).substr(0, kDate);
}

std::string order_moment_text(const ForecastReport& r, const Order& order) {
  if (!order.by_s) return {};
  return order.late ? "now" : "by " + moment_text(*r.runway, *order.by_s);
}

std::string order_text(const ForecastReport& r, const std::string& what, const Order& order,
                       const std::optional<double>& usd_per_month, const std::string& confidence) {
  std::vector<std::string> details{
      confidence, usd_per_month ? "$" + amount_text(*usd_per_month) + " a month" : std::string()};
  std::erase(details, "");
  std::string text =
      order.by_s ? "order " + what + " " + order_moment_text(r, order) : "add " + what;
  return details.empty() ? text : text + " (" + join(details, ", ") + ")";
}

std::string order_text(const RunwaySheet& sheet, const RunwayRow& row) {
  if (!row.runway.known) return "not known";
  if (!row.order.by_s) return "not needed";
  if (row.order.late)
    return fmt::format("now; {} chance it arrives too late", percent(row.order.chance_if_now));
  return moment_text(sheet, *row.order.by_s);
}

std::string title_of(const RunwayRow& row) {
  const std::string title(facts_of(row.resource).title);
  return row.provider.empty() ? title : title + " of " + row.provider;
}

void add_runway(const ForecastReport& r, TextReport* out) {
  if (!r.runway) return;
  const RunwaySheet& sheet = *r.runway;
  out->begin_section("Runway");
  out->figures([&] { return element("div", "class=\"charts\"", runway_figures(r)) + "\n"; });
  out->table(runway_columns(sheet));
  out->table(routes_ahead_columns(r));
  if (r.history) out->line("history", history_text(*r.history));
  const std::string text = fmt::format(
      "{} days ahead, {}; an order takes {} days, a cold start {} s; orders are sized and timed "
      "to be enough with {}",
      plain(r.request.history.horizon_days),
      sheet.daily_peaks ? "by the busiest step of each day" : "in the history's time steps",
      plain(r.request.history.lead_time_days), plain(r.request.history.cold_start_s),
      confidence_text());
  out->line("runway", text + gpu_plan_text(sheet) + ".");
  out->lines("", runway_notes(sheet));
  if (r.reserve) out->line("reserve", reserve_sentence(r, *r.reserve) + ".");
  out->add("\n");
}

}  // namespace plimsoll
