#include "report/form/table.h"

#include <algorithm>
#include <sstream>
#include <string_view>

namespace plimsoll {
namespace {

// Characters, not bytes; the text is UTF-8.
std::size_t width_of(std::string_view text) {
  const auto continues = [](char c) { return (static_cast<unsigned char>(c) & 0xC0) == 0x80; };
  return text.size() - static_cast<std::size_t>(std::ranges::count_if(text, continues));
}

// Of the first number in the cell.
std::size_t before_point(const std::string& cell) {
  return std::min(cell.find_first_of(". "), cell.size());
}

// Pads cells on both sides so that their decimal points stand below each other.
void align_points(std::vector<std::string>* cells) {
  std::size_t before = 0;
  std::size_t after = 0;
  for (const std::string& cell : *cells) {
    before = std::max(before, before_point(cell));
    after = std::max(after, width_of(cell) - before_point(cell));
  }
  for (std::string& cell : *cells) {
    const std::size_t left = before - before_point(cell);
    cell.insert(0, left, ' ');
    cell.append(before + after - width_of(cell), ' ');
  }
}

bool ends_in_digit(const std::string& word) { return word.back() >= '0' && word.back() <= '9'; }

void trim_right(std::string* line) { line->erase(line->find_last_not_of(' ') + 1); }

}  // namespace

std::string paragraph(const std::string& label, const std::string& text, std::size_t indent,
                      std::size_t width) {
  std::string out;
  std::string line = label;
  line.resize(std::max(indent, label.size()), ' ');
  bool empty = true;
  std::istringstream words(text);
  for (std::string word, next; words >> word;) {
    // A number is not parted from its unit.
    while (ends_in_digit(word) && words >> next) word += " " + next;
    if (!empty && line.size() + 1 + word.size() > width) {
      out += line + "\n";
      line.assign(indent, ' ');
      empty = true;
    }
    line += (empty ? "" : " ") + word;
    empty = false;
  }
  trim_right(&line);
  return out + line + "\n";
}

LatencyUnit unit_for(double largest_ms) {
  constexpr double kLongMs = 10'000;
  return largest_ms >= kLongMs ? LatencyUnit{"s", 1000} : LatencyUnit{"ms", 1};
}

std::string table(const std::vector<Column>& columns) {
  std::size_t rows = 0;
  for (const Column& column : columns) rows = std::max(rows, column.cells.size());
  std::vector<std::string> lines(rows + 1, "  ");
  for (const Column& column : columns) {
    std::vector<std::string> cells = column.cells;
    cells.resize(rows);
    if (column.aligned_on_point) align_points(&cells);
    std::size_t width = width_of(column.header);
    for (const std::string& cell : cells) width = std::max(width, width_of(cell));
    const auto place = [&](const std::string& cell, std::string* line) {
      const std::string padding(width - width_of(cell), ' ');
      *line += column.aligned_on_point ? padding + cell : cell + padding;
      *line += "   ";
    };
    place(column.header, &lines[0]);
    for (std::size_t row = 0; row < rows; ++row) place(cells[row], &lines[row + 1]);
  }
  std::string out;
  for (std::string& line : lines) {
    trim_right(&line);
    out += line + "\n";
  }
  return out;
}

}  // namespace plimsoll
