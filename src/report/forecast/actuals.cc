// The actual figures against the forecast: for the text, the page and JSON.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "base/calendar.h"
#include "base/text.h"
#include "forecast/runway/route_history.h"
#include "report/forecast/words.h"

namespace plimsoll {
namespace {

// "prompt tokens/s", "requests to chat"
std::string figure_title(const ActualRow& row) {
  if (const auto resource = find_resource(row.name)) return std::string(facts_of(*resource).title);
  if (row.name == "request_share") return "requests to " + row.route;
  if (row.name == "cached_share") return "prompt tokens from the cache";
  if (row.name == "retry_share") return "retries among requests";
  const auto column = std::ranges::find(kLatencyColumns, row.name, &Figure::key);
  return column == kLatencyColumns.end() ? row.name : column->title();
}

// The value in the unit of the row, with three digits.
std::string amount_of(const ActualRow& row, double value) {
  if (row.kind == ActualKind::resource) return amount_text(value);
  return row.kind == ActualKind::share ? percent(value) : ms_or_s(value / 1e3);
}

// The forecast of the row, with its band.
std::string forecast_of(const ActualRow& row) {
  if (!row.forecast) return "-";
  const std::string value = amount_of(row, *row.forecast);
  if (!row.band) return value;
  return fmt::format("{} [{}, {}]", value, amount_of(row, row.band->low),
                     amount_of(row, row.band->high));
}

// "+25.7 %"
std::string error_of(const ActualRow& row) {
  const auto error = row.error();
  return error ? (*error < 0 ? "-" : "+") + percent(std::abs(*error)) : "-";
}

// "yes", "no", or "-" without a band.
std::string inside_of(const ActualRow& row) {
  const auto inside = row.inside();
  std::string text = !inside ? "-" : *inside ? "yes" : "no";
  if (row.dates > 0) {
    text += fmt::format("; {} of {} dates", row.dates_inside, row.dates);
  }
  return text;
}

// "came.csv, 2026-11-15T00:00Z to 2026-11-22T00:00Z".
std::string actuals_source(const Actuals& actuals) {
  if (!actuals.dated) return actuals.path;
  return fmt::format("{}, {} to {}", actuals.path, iso_time(actuals.start_s),
                     iso_time(actuals.end_s));
}

}  // namespace

std::string_view unit_of(const ActualRow& row) {
  if (const auto resource = find_resource(row.name)) return facts_of(*resource).unit;
  return row.kind == ActualKind::latency ? "ms" : "share";
}

std::string actuals_verdict(const Actuals& actuals) {
  const ActualRow* row = actuals.most_wrong();
  if (row == nullptr) return "none of the actual figures was forecast";
  std::string text = fmt::format("{} {} furthest off: {} where {} was forecast", figure_title(*row),
                                 row->kind == ActualKind::latency ? "was" : "were",
                                 amount_of(*row, row->actual), amount_of(*row, *row->forecast));
  if (row->error()) text += " (" + error_of(*row) + ")";
  if (const auto inside = row->inside())
    text += *inside ? ", inside its band" : ", outside its band";
  if (row->dates > 0)
    text += ", at the peak of " + counted(static_cast<std::int64_t>(row->dates), "date");
  return text;
}

void add_actuals(const ForecastReport& r, TextReport* out) {
  if (!r.actuals) return;
  const Actuals& actuals = *r.actuals;
  out->begin_section("Forecast and actuals");
  std::vector<Column> columns =
      columns_of({"<", "forecast", "actual", "error", "<inside the band"});
  for (const ActualRow& row : actuals.rows) {
    add_row(&columns, {figure_title(row), forecast_of(row), amount_of(row, row.actual),
                       error_of(row), inside_of(row)});
    columns[2].exact.push_back(
        {"actuals." + row.name + (row.route.empty() ? "" : "." + row.route), row.actual});
  }
  out->table(columns);
  out->line("actuals", actuals_source(actuals) + ": " + actuals_verdict(actuals) + ".");
  out->add("\n");
}

}  // namespace plimsoll
