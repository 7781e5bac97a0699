#include "report/forecast/forecast.h"

#include <fmt/format.h>

#include "base/text.h"
#include "report/answer/reasons.h"
#include "report/forecast/words.h"
#include "report/form/table.h"

namespace plimsoll {
namespace {

std::string cell(const std::optional<double>& value) {
  return value ? amount_text(*value) : std::string("-");
}

std::string with_band(const std::optional<double>& value, const std::optional<Interval>& band) {
  if (!value || !band) return cell(value);
  return fmt::format("{} [{}, {}]", amount_text(*value), amount_text(band->low),
                     amount_text(band->high));
}

std::size_t width_of(const Style& style) { return static_cast<std::size_t>(style.width); }

// ---- the sheet

std::string sheet_text(const ForecastReport& r) {
  std::vector<Column> columns{{"resource", {}, false}, {"baseline p95", {}}, {"forecast p95", {}},
                              {"capacity", {}},        {"used", {}},         {"headroom", {}},
                              {"risk", {}, false},     {"from", {}, false}};
  for (const SheetRow& row : r.headroom.rows) {
    if (!row.capacity) continue;
    const auto used = row.utilisation();
    const auto risk = row.risk();
    const std::string cells[]{
        std::string(facts_of(row.resource).title),
        cell(row.baseline_p95),
        with_band(row.forecast_p95, row.forecast_band),
        with_band(row.capacity, row.capacity_interval),
        used ? share_text(*used) : "-",
        cell(row.headroom()),
        risk ? std::string(name_of(*risk)) + (row.resource == r.headroom.binding ? " <-" : "") : "",
        row.capacity ? std::string(name_of(row.capacity_from)) : ""};
    for (std::size_t i = 0; i < columns.size(); ++i) columns[i].cells.push_back(cells[i]);
  }
  return table(columns);
}

// ---- scenarios

std::string scenarios_text(const ForecastReport& r) {
  std::vector<Column> columns{{"scenario", {}, false},
                              {"first to run out", {}, false},
                              {"used", {}},
                              {"risk", {}, false},
                              {"held", {}},
                              {"worse", {}, false}};
  for (const ScenarioRow& row : r.headroom.scenarios) {
    const std::string cells[]{row.name,
                              row.binding ? std::string(facts_of(*row.binding).title) : "-",
                              row.binding ? share_text(*row.used(*row.binding)) : "-",
                              row.risk ? std::string(name_of(*row.risk)) : "",
                              held_text(row.peak),
                              row.problem.empty() ? titles_of(row.worse) : "not simulated"};
    for (std::size_t i = 0; i < columns.size(); ++i) columns[i].cells.push_back(cells[i]);
  }
  return table(columns);
}

std::string scenario_note(const ForecastReport& r, const ScenarioRow& row) {
  std::string note = row.about.empty() ? std::string() : row.about + ". ";
  const std::string roll_back = "Roll back " + rollback_trigger(row) + ".";
  if (!row.problem.empty()) return note + row.problem + ". " + roll_back;
  if (row.attempts > 1.005)
    note += fmt::format("Each request is sent {:.2f} times. ", row.attempts);
  if (!row.better.empty()) note += "Better: " + titles_of(row.better) + ". ";
  note += fmt::format("First signal: {}. Watch {}. {}", first_signal(row, r.request.slos),
                      guardrail(row, r.request.slos), roll_back);
  if (!row.owner.empty()) note += " Owner: " + row.owner + ".";
  return note;
}

std::string scenario_notes(const ForecastReport& r, const Style& style) {
  std::string text;
  for (const ScenarioRow& row : r.headroom.scenarios) {
    text += row.name + "\n" + paragraph("  ", scenario_note(r, row), 2, width_of(style));
  }
  return text;
}

// ---- levers

std::string levers_text(const ForecastReport& r) {
  std::vector<Column> columns{{"lever", {}, false},
                              {"held", {}},
                              {"more", {}},
                              {"GPUs", {}},
                              {"$/month", {}},
                              {"more per $1k", {}},
                              {"worse at the peak", {}, false}};
  for (const LeverResult& lever : r.levers) {
    const std::string cells[]{lever.lever.name,
                              percent(lever.line.factor),
                              (lever.more < 0 ? "" : "+") + percent(lever.more),
                              amount_text(lever.gpus),
                              added_cost_text(lever.usd_per_month),
                              gain_per_dollar_text(lever),
                              pressures_text(lever.worse)};
    for (std::size_t i = 0; i < columns.size(); ++i) columns[i].cells.push_back(cells[i]);
  }
  return table(columns);
}

// ---- routes, and the questions of a review

std::string review_text(const ForecastReport& r, const Style& style) {
  std::string text;
  for (const std::string& answer : review_sentences(r)) {
    text += paragraph(text.empty() ? "review" : "", answer + ".", kIndent, width_of(style));
  }
  return text + "\n";
}

std::string routes_text(const ForecastReport& r) {
  std::vector<Column> columns{{"route", {}, false}, {"requests/s", {}},  {"prompt p95", {}},
                              {"answer p95", {}},   {"context p95", {}}, {"at once", {}},
                              {"cached", {}},       {"retries", {}},     {"of use", {}},
                              {"$/1k", {}},         {"$/1k of use", {}}};
  for (const Route& route : r.request.forecast) {
    const auto cost = std::ranges::find(r.headroom.costs, route.name, &RouteCost::route);
    const bool known = cost != r.headroom.costs.end();
    const std::string cells[]{route.name,
                              amount_text(route.requests_per_s),
                              amount_text(p95_prompt_tokens(route, r.request.load)),
                              amount_text(p95_answer_tokens(route, r.request.load)),
                              amount_text(p95_context_tokens(route, r.request.load)),
                              cell(at_once(r.headroom, route)),
                              percent(route.cached_share),
                              percent(route.retry_share),
                              percent(route.share_of_use()),
                              known ? three_digits(cost->usd_per_1k_requests) : "-",
                              known ? cell(cost->usd_per_1k_of_use) : "-"};
    for (std::size_t i = 0; i < columns.size(); ++i) columns[i].cells.push_back(cells[i]);
  }
  return table(columns);
}

// ---- the runway

std::string moment_or(const RunwaySheet& sheet, const std::optional<double>& time,
                      const char* otherwise) {
  return time ? moment_text(sheet, *time) : std::string(otherwise);
}

std::string runway_table(const RunwaySheet& sheet) {
  std::vector<Column> columns{{"runs out", {}, false},     {"at", {}},
                              {"peak ahead", {}},          {"chance", {}},
                              {"early (10 %)", {}, false}, {"half", {}, false},
                              {"late (90 %)", {}, false},  {"order by", {}, false},
                              {"method", {}, false},       {"MASE", {}}};
  for (const RunwayRow& row : sheet.rows) {
    const bool known = row.runway.known;
    const char* otherwise = known ? "later" : "too short";
    const std::string cells[]{std::string(facts_of(row.resource).title),
                              amount_text(row.line),
                              with_band(row.peak[3], Interval{row.peak.front(), row.peak.back()}),
                              known ? percent(row.runway.probability()) : "-",
                              moment_or(sheet, row.runway.time_at(0.1), otherwise),
                              moment_or(sheet, row.runway.time_at(0.5), otherwise),
                              moment_or(sheet, row.runway.time_at(0.9), otherwise),
                              order_text(sheet, row),
                              method_text(row),
                              row.outlook.mase ? fmt::format("{:.2f}", *row.outlook.mase) : "-"};
    for (std::size_t i = 0; i < columns.size(); ++i) columns[i].cells.push_back(cells[i]);
  }
  return table(columns);
}

std::string runway_text(const ForecastReport& r, const Style& style) {
  const RunwaySheet& sheet = *r.runway;
  std::string text = runway_table(sheet) + "\n" + routes_ahead_text(r);
  if (r.history) {
    text += paragraph("history", history_text(*r.history), kIndent, width_of(style));
  }
  std::string said = fmt::format(
      "{} over {} days; an order takes {} days, a cold start {} s, and is due before the chance of "
      "being short passes 5 %",
      sheet.daily_peaks ? "p95 of each day" : "every value of the history",
      three_digits(r.request.history.horizon_days), three_digits(r.request.history.lead_time_days),
      three_digits(r.request.history.cold_start_s));
  said += gpu_plan_text(sheet);
  text += paragraph("runway", said + ".", kIndent, width_of(style));
  for (const std::string& note : runway_notes(sheet)) {
    text += paragraph("", note, kIndent, width_of(style));
  }
  return text + "\n";
}

}  // namespace

std::string forecast_text(const ForecastReport& r, const Style& style) {
  std::string text = paragraph("", forecast_verdict(r), 0, width_of(style)) + "\n";
  if (!r.deployment.empty()) {
    text += paragraph("deployment", join(r.deployment, ", "), kIndent, width_of(style));
  }
  text += "\n" + sheet_text(r) + "\n";
  if (r.headroom.forecast)
    text += paragraph("peak", peak_sentence(*r.headroom.forecast, r.request.slos) + ".", kIndent,
                      width_of(style)) +
            "\n";
  text += review_text(r, style);
  if (!r.levers.empty()) text += levers_text(r) + "\n";
  if (r.runway) text += runway_text(r, style);
  if (r.actuals) text += actuals_text(*r.actuals, style) + "\n";
  text += routes_text(r) + "\n";
  if (!r.headroom.scenarios.empty()) {
    text += scenarios_text(r) + "\n" + scenario_notes(r, style);
  }
  const std::size_t left = r.request.scenarios.size() - r.headroom.scenarios.size();
  if (r.headroom.interrupted) {
    text += fmt::format("\nInterrupted: {} of {} and the levers were not simulated.\n", left,
                        counted(static_cast<std::int64_t>(r.request.scenarios.size()), "scenario"));
  }
  return text;
}

}  // namespace plimsoll
