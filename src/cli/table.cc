#include "cli/table.h"

#include <fmt/format.h>

#include <algorithm>

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

std::string as_text(const Table& table, std::size_t width) {
  constexpr std::size_t kLeastText = 20;
  std::vector<std::size_t> shown;
  std::vector<std::size_t> widths(table.columns.size());
  for (std::size_t c = 0; c < table.columns.size(); ++c) {
    if (!table.columns[c].is_json_only) shown.push_back(c);
    widths[c] = table.columns[c].key.size();
    for (const auto& row : table.rows) widths[c] = std::max(widths[c], row[c].size());
  }
  const std::size_t last = shown.back();
  const auto line = [&](const auto& cell) {
    std::string out;
    for (const std::size_t c : shown) {
      if (c == last) break;
      out += table.columns[c].is_number ? fmt::format("{:>{}}  ", cell(c), widths[c])
                                        : fmt::format("{:<{}}  ", cell(c), widths[c]);
    }
    const bool wraps = !table.columns[last].is_number && out.size() + kLeastText <= width;
    if (wraps) return paragraph(out, cell(last), out.size(), width);
    out += table.columns[last].is_number ? fmt::format("{:>{}}", cell(last), widths[last])
                                         : cell(last);
    out.erase(out.find_last_not_of(' ') + 1);
    return out + "\n";
  };
  std::string out = line([&](std::size_t c) { return table.columns[c].key; });
  for (const auto& row : table.rows) out += line([&](std::size_t c) { return row[c]; });
  return out;
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
