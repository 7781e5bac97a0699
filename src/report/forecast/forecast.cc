#include "report/forecast/forecast.h"

#include <cmath>

#include <fmt/format.h>

#include "base/text.h"
#include "report/answer/reasons.h"
#include "report/forecast/words.h"

namespace plimsoll {
namespace {

// A p95 below its capacity says nothing of those beyond it.
std::string risk_text(const SheetRow& row) {
  const std::string name(name_of(*row.risk()));
  return row.refused_share ? name + ", " + percent(*row.refused_share) + " refused" : name;
}

std::vector<Column> sheet_columns(const ForecastReport& r) {
  std::vector<Column> columns{
      {"resource", {}, false}, {"baseline p95", {}}, {"forecast p95", {}},
      {"capacity", {}},        {"used", {}},         {"headroom", {}},
      {"risk", {}, false},     {"from", {}, false},  {"owner", {}, false, {}, true}};
  for (const SheetRow& row : r.headroom.rows) {
    if (!row.capacity) continue;
    const auto used = row.utilisation();
    const auto risk = row.risk();
    const bool is_binding = row.resource == r.headroom.binding;
    const ResourceFacts& facts = facts_of(row.resource);
    add_row(&columns, {std::string(facts.title), cell_text(row.resource, row.baseline_p95),
                       cell_text(row.resource, row.forecast_p95, row.forecast_band),
                       cell_text(row.resource, row.capacity, row.capacity_interval),
                       used ? share_text(*used) : "-", cell_text(row.resource, row.headroom()),
                       risk ? risk_text(row) + (is_binding ? " <-" : "") : "",
                       std::string(name_of(row.capacity_from)), row.owner});
    columns[6].moods.push_back(risk ? mood_of(*risk) : Mood::none);
    const std::pair<const char*, std::optional<double>> exact[]{{"baseline_p95", row.baseline_p95},
                                                                {"forecast_p95", row.forecast_p95},
                                                                {"capacity", row.capacity},
                                                                {"utilisation", used},
                                                                {"headroom", row.headroom()}};
    for (std::size_t i = 0; i < std::size(exact); ++i) {
      columns[i + 1].exact.push_back({fmt::format("{}.{}", facts.name, exact[i].first),
                                      exact[i].second.value_or(std::nan(""))});
    }
  }
  return columns;
}

// A section with a paragraph for each of them.
void add_sentences(const std::string& heading, const std::string& label,
                   std::vector<std::string> sentences, TextReport* out) {
  if (sentences.empty()) return;
  for (std::string& sentence : sentences) sentence += ".";
  out->begin_section(heading);
  out->lines(label, sentences);
}

}  // namespace

std::string forecast_text(const ForecastReport& r, const Style& style) {
  TextReport out(style);
  add_decision(decision_of(r), &out);
  if (!r.deployment.empty()) {
    out.line("deployment", join(r.deployment, ", "));
    out.add("\n");
  }
  out.figures([&] { return forecast_tiles(r); });
  out.begin_section("Headroom");
  out.figures([&] { return headroom_gauges(r); });
  out.table(sheet_columns(r));
  if (const auto& peak = r.headroom.forecast) {
    out.begin_section("The peak, simulated");
    out.line("peak", peak_sentence(*peak, r.request.slos) + ".");
    out.figures([&] { return peak_tables(r, *peak); });
  }
  add_sentences("Questions of a review", "review", review_sentences(r), &out);
  add_sentences("Surviving a loss", "loss", loss_sentences(r), &out);
  add_sentences("Migrations", "migration", migration_sentences(r), &out);
  out.add("\n");
  add_levers(r, &out);
  add_runway(r, &out);
  add_actuals(r, &out);
  add_routes(r, &out);
  add_providers(r, &out);
  add_scenarios(r, &out);
  const std::size_t left = r.request.scenarios.size() - r.headroom.scenarios.size();
  if (r.headroom.interrupted) {
    out.add("\n");
    out.heading(
        fmt::format("Interrupted: {} of {} and the levers were not simulated.", left,
                    counted(static_cast<std::int64_t>(r.request.scenarios.size()), "scenario")));
  }
  out.begin_section("What it rests on");
  out.figures([&] { return forecast_foundations(r); });
  return out.text();
}

}  // namespace plimsoll
