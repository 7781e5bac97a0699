#include <algorithm>
#include <cmath>

#include "base/text.h"
#include "report/forecast/charts.h"
#include "report/forecast/words.h"
#include "report/form/page.h"

namespace plimsoll {
namespace {

using Cell = PageTable::Cell;

// Those that have a capacity anywhere, in the order of the sheet.
std::vector<Resource> columns_of(const ForecastReport& r) {
  std::vector<Resource> columns;
  for (const SheetRow& row : r.headroom.rows) {
    if (row.utilisation()) columns.push_back(row.resource);
  }
  return columns;
}

Cell use_cell(Resource resource, const std::optional<double>& demand,
              const std::optional<double>& capacity) {
  if (!demand || !capacity) return {};
  const double used = *demand / *capacity;
  if (std::isnan(used)) return {};
  return {share_text(used), used, "", mood_of(risk_of(resource, used))};
}

Cell held_cell(const std::optional<PeakCheck>& peak) {
  if (!peak) return {};
  const double factor = peak->line.factor;
  if (!peak->line.is_known) return {held_text(peak)};
  return {held_text(peak), factor, "", factor < 1 ? "short" : ""};
}

Cell gain_cell(const LeverResult& lever) {
  Cell cell{gain_per_dollar_text(lever)};
  if (const auto gain = lever.more_per_1k_usd()) cell.value = *gain;
  return cell;
}

// As if nothing else happened.
ScenarioRow forecast_row(const ForecastReport& r) {
  ScenarioRow out;
  out.name = "the forecast itself";
  for (const SheetRow& row : r.headroom.rows) {
    at(out.demand, row.resource) = row.forecast_p95;
    at(out.capacity, row.resource) = row.capacity;
  }
  out.binding = r.headroom.binding;
  out.peak = r.headroom.forecast;
  return out;
}

}  // namespace

std::string scenario_matrix(const ForecastReport& r) {
  if (r.headroom.scenarios.empty()) return {};
  const std::vector<Resource> columns = columns_of(r);
  std::vector<std::string> header{"scenario"};
  for (const Resource resource : columns) header.emplace_back(facts_of(resource).title);
  const bool simulated = r.headroom.forecast.has_value();
  if (simulated) header.emplace_back("of the demand held");
  header.emplace_back("first signal");
  PageTable table("Used of each resource: from 80 % tight, above 100 % short", std::move(header));
  const auto add = [&](const ScenarioRow& row, bool mark) {
    std::vector<Cell> cells{{row.name}};
    for (const Resource resource : columns) {
      cells.push_back(use_cell(resource, at(row.demand, resource), at(row.capacity, resource)));
    }
    if (simulated) cells.push_back(held_cell(row.peak));
    cells.push_back({first_signal(row, r.request.slos)});
    table.add(cells, mark);
  };
  add(forecast_row(r), true);
  for (const ScenarioRow& row : r.headroom.scenarios) add(row, false);
  return table.markup();
}

std::string levers_table(const ForecastReport& r) {
  PageTable table("Each simulated with the whole forecast; the most headroom per dollar first",
                  {"lever", "of the demand held", "more", "GPUs", "$ a month more",
                   "more per $1,000 a month", "worse at the peak"});
  for (const LeverResult& lever : r.levers) {
    const double factor = lever.line.factor;
    table.add({{lever.lever.name},
               {percent(factor), factor, "", factor < 1 ? "short" : ""},
               {(lever.more < 0 ? "" : "+") + percent(lever.more), lever.more},
               {amount_text(lever.gpus), lever.gpus},
               lever.usd_per_month
                   ? Cell{added_cost_text(lever.usd_per_month), *lever.usd_per_month}
                   : Cell{"-"},
               gain_cell(lever),
               {pressures_text(lever.worse)}});
  }
  return table.markup();
}

}  // namespace plimsoll
