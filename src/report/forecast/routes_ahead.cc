
#include <algorithm>
#include <vector>

#include "base/lists.h"
#include "base/text.h"
#include "report/forecast/words.h"
#include "report/form/page.h"
#include "report/form/table.h"

namespace plimsoll {
namespace {

constexpr const char* kHeader = "now -> ahead";

struct FigureColumn {
  const char* title;
  std::vector<RouteFigure> figures;  ///< of which a history has one at most
  bool is_share;
};

const std::vector<FigureColumn>& figure_columns() {
  static const std::vector<FigureColumn> kColumns{
      {"requests", {RouteFigure::request_share}, true},
      {"prompt tokens", {RouteFigure::prompt_tokens, RouteFigure::fresh_prompt_tokens}, false},
      {"cached", {RouteFigure::cached_share}, true},
      {"answer tokens", {RouteFigure::output_tokens}, false},
      {"retries", {RouteFigure::retry_share}, true}};
  return kColumns;
}

const RouteOutlook* find(const std::vector<RouteOutlook>& all, const std::string& route,
                         const FigureColumn& column) {
  return find_where(all, [&](const RouteOutlook& outlook) {
    return outlook.route == route && std::ranges::count(column.figures, outlook.figure) > 0;
  });
}

std::string change_text(const RouteOutlook& outlook, bool is_share) {
  const auto text = [&](double value) { return is_share ? percent(value) : amount_text(value); };
  return text(outlook.now) + " -> " + text(outlook.ahead);
}

std::vector<FigureColumn> columns_in(const std::vector<RouteOutlook>& all) {
  std::vector<FigureColumn> columns = figure_columns();
  std::erase_if(columns, [&](const FigureColumn& column) {
    return std::ranges::none_of(all, [&](const RouteOutlook& outlook) {
      return std::ranges::count(column.figures, outlook.figure) > 0;
    });
  });
  return columns;
}

// Cells by row, the name of the route first.
std::vector<std::vector<std::string>> rows_of(const std::vector<RouteOutlook>& all,
                                              const std::vector<FigureColumn>& columns) {
  std::vector<std::vector<std::string>> rows;
  for (const RouteOutlook& outlook : all) {
    const std::string name = outlook.route.empty() ? "all routes" : outlook.route;
    if (std::ranges::any_of(rows, [&](const auto& row) { return row.front() == name; })) continue;
    std::vector<std::string>& row = rows.emplace_back(std::vector<std::string>{name});
    for (const FigureColumn& column : columns) {
      const RouteOutlook* figure = find(all, outlook.route, column);
      row.push_back(figure == nullptr ? "-" : change_text(*figure, column.is_share));
    }
  }
  return rows;
}

}  // namespace

std::vector<Column> routes_ahead_columns(const ForecastReport& report) {
  if (report.routes_ahead.empty()) return {};
  const auto columns = columns_in(report.routes_ahead);
  std::vector<Column> shown{{kHeader, {}, false}};
  for (const FigureColumn& column : columns) shown.push_back({column.title, {}});
  for (const auto& row : rows_of(report.routes_ahead, columns)) {
    for (std::size_t i = 0; i < row.size(); ++i) shown[i].cells.push_back(row[i]);
  }
  return shown;
}

std::string routes_ahead_html(const ForecastReport& report) {
  if (report.routes_ahead.empty()) return {};
  const auto columns = columns_in(report.routes_ahead);
  std::vector<std::string> header{"route"};
  for (const FigureColumn& column : columns) header.emplace_back(column.title);
  PageTable table("The routes of the history, in its busy hours now and ahead", header);
  for (const auto& row : rows_of(report.routes_ahead, columns)) {
    std::vector<PageTable::Cell> cells;
    for (const std::string& text : row) cells.push_back({text});
    table.add(cells);
  }
  return table.markup();
}

}  // namespace plimsoll
