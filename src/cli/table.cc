#include "cli/table.h"

#include <fmt/format.h>

#include "base/quoting.h"
#include "base/text.h"
#include "report/form/table.h"

namespace plimsoll {
namespace {

std::string value_text(const Table::Column& column, const std::string& cell) {
  if (!column.is_number) return json_text(cell);
  return cell == "-" ? "null" : cell;
}

}  // namespace

std::string as_text(const Table& table, const Style& style) {
  std::vector<Column> columns;
  for (std::size_t c = 0; c < table.columns.size(); ++c) {
    const auto& [key, is_number, is_json_only, head] = table.columns[c];
    if (is_json_only) continue;
    Column& column = columns.emplace_back(Column{head.empty() ? key : head, {}, is_number});
    for (const auto& row : table.rows) column.cells.push_back(row[c]);
  }
  return plimsoll::table(columns, style, Overflow::drop);
}

std::string as_json(const Table& table) {
  std::vector<std::string> objects;
  for (const auto& row : table.rows) {
    std::vector<std::string> members;
    for (std::size_t c = 0; c < table.columns.size(); ++c) {
      const Table::Column& column = table.columns[c];
      members.push_back(fmt::format("\"{}\": {}", column.key, value_text(column, row[c])));
    }
    objects.push_back("  {" + join(members, ", ") + "}");
  }
  return "[\n" + join(objects, ",\n") + "\n]\n";
}

}  // namespace plimsoll
