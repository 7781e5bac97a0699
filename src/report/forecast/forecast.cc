#include "report/forecast/forecast.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/text.h"
#include "report/answer/reasons.h"
#include "report/forecast/words.h"
#include "report/form/text_report.h"

namespace plimsoll {
namespace {

std::string cell(const std::optional<double>& value) {
  return value ? amount_text(*value) : std::string("-");
}

// GPUs are whole.
std::string cell(Resource resource, const std::optional<double>& value) {
  return value && resource == Resource::gpus ? fmt::format("{:.0f}", *value) : cell(value);
}

std::string with_band(Resource resource, const std::optional<double>& value,
                      const std::optional<Interval>& band) {
  if (!value || !band) return cell(resource, value);
  return fmt::format("{} [{}, {}]", cell(resource, value), cell(resource, band->low),
                     cell(resource, band->high));
}

// But for those that say nothing.
std::vector<Column> telling(std::vector<Column> columns) {
  std::erase_if(columns, [](const Column& column) {
    return !column.cells.empty() && std::ranges::all_of(column.cells, [](const std::string& text) {
      return text.empty() || text == "-" || text == "0 %";
    });
  });
  return columns;
}

// As the page shows it (mood_of() there).
Mood terminal_mood(Risk risk) {
  const std::string_view mood = mood_of(risk);
  return mood.empty() ? Mood::good : mood == "tight" ? Mood::doubtful : Mood::bad;
}

// ---- the sheet

// A p95 below its capacity says nothing of those beyond it.
std::string risk_text(const SheetRow& row) {
  const std::string name(name_of(*row.risk()));
  return row.refused_share ? name + ", " + percent(*row.refused_share) + " refused" : name;
}

std::vector<Column> sheet_columns(const ForecastReport& r) {
  std::vector<Column> columns{{"resource", {}, false}, {"baseline p95", {}}, {"forecast p95", {}},
                              {"capacity", {}},        {"used", {}},         {"headroom", {}},
                              {"risk", {}, false},     {"from", {}, false}};
  for (const SheetRow& row : r.headroom.rows) {
    if (!row.capacity) continue;
    const auto used = row.utilisation();
    const auto risk = row.risk();
    add_row(&columns,
            {std::string(facts_of(row.resource).title), cell(row.resource, row.baseline_p95),
             with_band(row.resource, row.forecast_p95, row.forecast_band),
             with_band(row.resource, row.capacity, row.capacity_interval),
             used ? share_text(*used) : "-", cell(row.resource, row.headroom()),
             risk ? risk_text(row) + (row.resource == r.headroom.binding ? " <-" : "") : "",
             row.capacity ? std::string(name_of(row.capacity_from)) : ""});
    columns[6].moods.push_back(risk ? terminal_mood(*risk) : Mood::none);
  }
  return columns;
}

// ---- scenarios

std::vector<Column> scenario_columns(const ForecastReport& r) {
  std::vector<Column> columns{
      {"scenario", {}, false}, {"closest limit", {}, false}, {"used", {}},
      {"risk", {}, false},     {"held by GPUs", {}},         {"worse", {}, false}};
  for (const ScenarioRow& row : r.headroom.scenarios) {
    add_row(&columns, {row.name, row.binding ? std::string(facts_of(*row.binding).title) : "-",
                       row.binding ? share_text(*row.used(*row.binding)) : "-",
                       row.risk ? std::string(name_of(*row.risk)) : "", held_text(row.peak),
                       worse_text(row)});
    columns[3].moods.push_back(row.risk ? terminal_mood(*row.risk) : Mood::none);
  }
  return columns;
}

std::string scenario_note(const ForecastReport& r, const ScenarioRow& row) {
  std::string note = row.about.empty() ? std::string() : capitalised(row.about) + ". ";
  if (!row.problem.empty()) return note + capitalised(row.problem) + ".";
  const std::string roll_back = rollback_sentence(row) + ".";
  if (row.attempts > 1.005)
    note += fmt::format("Each request is sent {:.2f} times. ", row.attempts);
  if (!row.better.empty()) note += "Less is used: " + titles_of(row.better) + ". ";
  const bool is_calm = row.risk == Risk::ok;
  if (row.is_as_forecast) return note + "The same as the forecast.";
  note +=
      fmt::format("{}: {}. Guardrail: {}. {}", is_calm ? "Nearest to its limit" : "First signal",
                  first_signal(row, r.request.slos), guardrail(row, r.request.slos), roll_back);
  if (!row.owner.empty()) note += " Owner: " + row.owner + ".";
  return note;
}

// ---- levers

std::vector<Column> lever_columns(const ForecastReport& r) {
  std::vector<Column> columns{{"lever", {}, false},
                              {"held", {}},
                              {"more", {}},
                              {"GPUs", {}},
                              {"$/month", {}},
                              {"more per $1k", {}},
                              {"worse at the peak", {}, false}};
  const std::string today[]{
      "as deployed", held_text(r.headroom.forecast), "", cell(Resource::gpus, r.gpus), "", "", ""};
  for (std::size_t i = 0; i < columns.size(); ++i) columns[i].cells.push_back(today[i]);
  for (const LeverResult& lever : r.levers) {
    add_row(&columns, {lever.lever.name, percent(lever.line.factor), more_text(lever),
                       cell(Resource::gpus, lever.gpus), added_cost_text(lever.usd_per_month),
                       gain_per_dollar_text(lever), pressures_text(lever)});
  }
  return columns;
}

// ---- routes, and the questions of a review

std::vector<Column> route_columns(const ForecastReport& r) {
  std::vector<Column> columns{{"route", {}, false}, {"requests/s", {}},  {"prompt p95", {}},
                              {"answer p95", {}},   {"context p95", {}}, {"at once", {}},
                              {"cached", {}},       {"retries", {}},     {"useful", {}},
                              {"$/1k", {}},         {"$/1k useful", {}}};
  for (const Route& route : r.request.forecast) {
    const auto cost = std::ranges::find(r.headroom.costs, route.name, &RouteCost::route);
    const bool known = cost != r.headroom.costs.end();
    add_row(&columns,
            {title_of(route), amount_text(route.requests_per_s),
             amount_text(p95_prompt_tokens(route, r.request.load)),
             amount_text(p95_answer_tokens(route, r.request.load)),
             amount_text(p95_context_tokens(route, r.request.load)),
             cell(at_once(r.headroom, route)), percent(cached_share_of(r.headroom, route)),
             percent(route.retry_share), percent(useful_share(r.headroom, route)),
             known ? three_digits(cost->usd_per_1k_requests) : "-",
             known ? cell(cost->usd_per_1k_of_use) : "-"});
  }
  return columns;
}

// ---- the runway

std::string moment_or(const RunwaySheet& sheet, const std::optional<double>& time,
                      const char* otherwise) {
  return time ? moment_text(sheet, *time) : std::string(otherwise);
}

std::vector<Column> runway_columns(const RunwaySheet& sheet) {
  std::vector<Column> columns{
      {"resource", {}, false}, {"capacity", {}},        {"peak ahead", {}},
      {"chance", {}},          {"10 % by", {}, false},  {"50 % by", {}, false},
      {"90 % by", {}, false},  {"order by", {}, false}, {"method", {}, false}};
  for (const RunwayRow& row : sheet.rows) {
    const bool known = row.runway.known;
    const char* otherwise = known ? "later" : "too short";
    add_row(&columns,
            {title_of(row), cell(row.resource, row.line),
             with_band(row.resource, row.peak[3], Interval{row.peak.front(), row.peak.back()}),
             known ? percent(row.runway.probability()) : "-",
             moment_or(sheet, row.runway.time_at(0.1), otherwise),
             moment_or(sheet, row.runway.time_at(0.5), otherwise),
             moment_or(sheet, row.runway.time_at(0.9), otherwise), order_text(sheet, row),
             method_text(row)});
  }
  return columns;
}

void add_runway(const ForecastReport& r, TextReport* out) {
  const RunwaySheet& sheet = *r.runway;
  out->table(runway_columns(sheet));
  out->table(routes_ahead_columns(r));
  if (r.history) out->line("history", history_text(*r.history));
  std::string text = fmt::format(
      "{} days ahead, {}; an order takes {} days, a cold start {} s; orders are sized and timed "
      "to be enough with {}",
      plain(r.request.history.horizon_days),
      sheet.daily_peaks ? "by the busiest step of each day" : "in the steps of the history",
      plain(r.request.history.lead_time_days), plain(r.request.history.cold_start_s),
      confidence_text());
  out->line("runway", text + gpu_plan_text(sheet) + ".");
  out->lines("", runway_notes(sheet));
  if (r.reserve) out->line("reserve", reserve_sentence(r, *r.reserve) + ".");
  out->add("\n");
}

void add_scenarios(const ForecastReport& r, TextReport* out) {
  if (r.headroom.scenarios.empty()) return;
  out->table(telling(scenario_columns(r)));
  for (const ScenarioRow& row : r.headroom.scenarios) {
    out->add(row.name + "\n" +
             paragraph("  ", scenario_note(r, row), 2, out->style().text_columns()));
  }
}

}  // namespace

std::string forecast_text(const ForecastReport& r, const Style& style) {
  TextReport out(style);
  add_decision(decision_of(r), &out);
  if (!r.deployment.empty()) {
    out.line("deployment", join(r.deployment, ", "));
    out.add("\n");
  }
  out.table(sheet_columns(r));
  if (r.headroom.forecast) {
    out.line("peak", peak_sentence(*r.headroom.forecast, r.request.slos) + ".");
  }
  for (std::string label = "review"; const std::string& answer : review_sentences(r)) {
    out.line(std::exchange(label, ""), answer + ".");
  }
  for (std::string label = "loss"; const std::string& answer : loss_sentences(r)) {
    out.line(std::exchange(label, ""), answer + ".");
  }
  for (std::string label = "migration"; const std::string& answer : migration_sentences(r)) {
    out.line(std::exchange(label, ""), answer + ".");
  }
  out.add("\n");
  if (!r.levers.empty()) out.table(lever_columns(r));
  if (r.runway) add_runway(r, &out);
  if (r.actuals) add_actuals(*r.actuals, &out);
  out.table(telling(route_columns(r)));
  if (!r.headroom.providers.empty()) {
    out.table(provider_columns(r));
    out.line("providers", provider_sentence(r) + ".");
    out.add("\n");
  }
  add_scenarios(r, &out);
  const std::size_t left = r.request.scenarios.size() - r.headroom.scenarios.size();
  if (r.headroom.interrupted) {
    out.add(
        fmt::format("\nInterrupted: {} of {} and the levers were not simulated.\n", left,
                    counted(static_cast<std::int64_t>(r.request.scenarios.size()), "scenario")));
  }
  return out.text();
}

}  // namespace plimsoll
