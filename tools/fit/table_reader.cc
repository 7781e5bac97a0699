#include "fit/table_reader.h"

#include <array>
#include <cstdio>
#include <utility>

namespace plimsoll {
namespace {

// No reader of the program's has this format; publishers of tables like it.
Result<LineReader> open_xz(const std::string& path) {
  FILE* pipe = popen(("xz -dc '" + path + "'").c_str(), "r");
  if (pipe == nullptr) return fail(ErrorKind::io, path + ": xz cannot be started");
  std::string text;
  std::array<char, 65536> piece{};
  for (std::size_t n = 0; (n = fread(piece.data(), 1, piece.size(), pipe)) > 0;) {
    text.append(piece.data(), n);
  }
  if (pclose(pipe) != 0) return fail(ErrorKind::io, path + ": xz cannot unpack it");
  return LineReader::over(std::move(text), path);
}

}  // namespace

Result<void> for_each_row(const std::string& path, std::vector<std::string> columns,
                          const std::function<void(CsvTable&)>& row,
                          std::vector<std::string> optional) {
  auto lines = path.ends_with(".xz") ? open_xz(path) : LineReader::open(path);
  if (!lines) return pass_on(lines);
  auto table = CsvTable::open(std::move(*lines), {std::move(columns), std::move(optional), true});
  if (!table) return pass_on(table);
  for (;;) {
    auto more = table->next();
    if (!more) return pass_on(more);
    if (!*more) return {};
    row(*table);
  }
}

}  // namespace plimsoll
