#include "report/form/text_report.h"

#include <algorithm>
#include <cmath>
#include <sstream>
#include <utility>

#include "base/printable.h"
#include "base/quoting.h"
#include "base/text.h"
#include "report/form/page.h"

namespace plimsoll {
namespace {

// Words with the blanks of their quotes; the value of a flag stays with it.
std::vector<std::string> unbroken_parts(const std::string& command) {
  std::vector<std::string> parts(1);
  bool quoted = false;
  for (std::size_t i = 0; i < command.size(); ++i) {
    if (command[i] == '\\' && !quoted && i + 1 < command.size())
      parts.back() += command[i++];
    else if (command[i] == '\'')
      quoted = !quoted;
    const bool breaks = command[i] == ' ' && !quoted;
    const bool is_value =
        breaks && parts.back().starts_with("--") && command.compare(i, 3, " --") != 0;
    if (breaks && !is_value) {
      parts.emplace_back();
    } else {
      parts.back() += command[i];
    }
  }
  return parts;
}

// The figure that a cell begins with, of "36.0k" 36,000; NaN: there is none.
double leading_figure(std::string_view cell) {
  constexpr std::pair<char, double> kThousands[]{{'k', 1e3}, {'M', 1e6}, {'G', 1e9}};
  std::string figure(cell.substr(0, cell.find(' ')));
  std::erase(figure, ',');
  if (figure.starts_with('$') || (figure.starts_with('+') && !figure.starts_with("+-")))
    figure.erase(0, 1);
  double scale = 1;
  for (const auto& [letter, thousands] : kThousands) {
    if (!figure.ends_with(letter)) continue;
    figure.pop_back();
    scale = thousands;
  }
  double value = 0;
  return parse_double(figure, &value) ? value * scale : std::nan("");
}

// A cell that begins with a figure sorts by it; all of a column of figures stand to the right.
PageTable::Cell page_cell(const Column& column, std::size_t row) {
  PageTable::Cell cell;
  if (row < column.cells.size()) cell.text = column.cells[row];
  if (column.aligned_on_point) cell.value = leading_figure(cell.text);
  if (row < column.exact.size() && std::isfinite(column.exact[row].value)) {
    cell.value = column.exact[row].value;
    cell.key = column.exact[row].key;
  }
  if (row < column.moods.size()) cell.mood = mood_class(column.moods[row]);
  return cell;
}

std::string page_table(const std::vector<Column>& columns) {
  constexpr std::string_view kArrow = " <-";
  std::vector<std::string> heads;
  std::size_t rows = 0;
  for (const Column& column : columns) {
    heads.push_back(column.header);
    rows = std::max(rows, column.cells.size());
  }
  PageTable table("", heads);
  for (std::size_t row = 0; row < rows; ++row) {
    std::vector<PageTable::Cell> cells;
    bool is_marked = false;
    for (const Column& column : columns) {
      PageTable::Cell& cell = cells.emplace_back(page_cell(column, row));
      if (!cell.text.ends_with(kArrow)) continue;
      cell.text.resize(cell.text.size() - kArrow.size());
      is_marked = true;
    }
    table.add(cells, is_marked);
  }
  return table.markup();
}

}  // namespace

std::string command_lines(const std::string& command, std::size_t indent, std::size_t width) {
  constexpr std::string_view kGoesOn = " \\";
  const std::size_t document = std::min(command.find('\n'), command.size());
  const std::vector<std::string> parts = unbroken_parts(command.substr(0, document));
  std::string out;
  std::string line(indent, ' ');
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const std::size_t end = i + 1 < parts.size() ? kGoesOn.size() : 0;
    if (i > 0 && width_of(line) + 1 + width_of(parts[i]) + end > width) {
      out += line + std::string(kGoesOn) + "\n";
      line.assign(indent + 1, ' ');
    }
    line += (i > 0 ? " " : "") + parts[i];
  }
  return out + line + command.substr(document) + "\n";
}

std::string comment_lines(const std::string& text) {
  const std::string mark = "# ";
  if (mark.size() + width_of(text) <= kEmittedColumns) return commented(text);
  std::istringstream lines(paragraph("", visible(text), 0, kEmittedColumns - mark.size()));
  std::string out;
  for (std::string line; std::getline(lines, line);) out += mark + line + "\n";
  return out;
}

void TextReport::describe(const std::string& label, const std::string& markup) {
  if (!label.empty()) lines_ += element("dt", "", escaped(label));
  lines_ += element("dd", "", markup) + "\n";
}

void TextReport::end_lines() {
  if (!lines_.empty()) text_ += element("dl", "", std::exchange(lines_, "")) + "\n";
}

const std::string& TextReport::text() {
  end_section();
  return text_;
}

void TextReport::end_section() {
  end_lines();
  if (std::exchange(in_section_, false)) text_ += "</section>\n";
}

void TextReport::begin_section(const std::string& heading) {
  if (!style_.markup) return;
  end_section();
  text_ += section_begin(heading);
  in_section_ = true;
}

void TextReport::add(const std::string& text) {
  end_lines();
  text_ += text;
}

void TextReport::heading(const std::string& text) {
  add(style_.markup ? element("h3", "", escaped(text)) + "\n" : text + "\n");
}

void TextReport::note(const std::string& text) {
  add(style_.markup ? page_paragraph(text) : paragraph("  ", text, 2, style_.text_columns()));
}

void TextReport::listing(const std::string& what, const std::vector<std::string>& names) {
  const std::string all = join(names, ", ");
  if (style_.markup) {
    return add(element("details", "",
                       element("summary", "", escaped(what)) + element("p", "", escaped(all))) +
               "\n");
  }
  add(paragraph("", what, 0, style_.text_columns()) + paragraph("", all, 4, style_.text_columns()));
}

void TextReport::figures(const std::function<std::string()>& markup) {
  if (style_.markup) add(markup());
}

void TextReport::verdict(const std::string& text, std::size_t marked, Mood mood) {
  if (style_.markup) return add(page_heading(text));
  // Lines end where blanks were: what is marked is as long as before.
  const std::string laid_out = paragraph("", text, 0, style_.text_columns());
  text_ += in_mood(laid_out.substr(0, marked), mood, style_) + laid_out.substr(marked) + "\n";
}

void TextReport::table(std::vector<Column> columns) {
  if (columns.empty()) return;
  if (style_.markup) return add(page_table(columns));
  std::erase_if(columns, [](const Column& column) { return column.is_for_page; });
  add(plimsoll::table(columns, style_) + "\n");
}

void TextReport::line(const std::string& label, const std::string& text) {
  if (text.empty()) return;
  if (style_.markup) return describe(label, prose(text));
  const std::string laid_out = paragraph("  " + label, text, kIndent, style_.text_columns());
  text_ += "  " + as_label(label, style_) + laid_out.substr(2 + label.size());
}

void TextReport::drawing(const std::string& label, const std::string& text) {
  if (style_.markup) return describe(label, escaped(text));
  const std::string start = padded("  " + label + " ", kIndent);
  text_ += "  " + as_label(label, style_) + start.substr(2 + label.size()) + text + "\n";
}

void TextReport::lines(const std::string& label, const std::vector<std::string>& texts) {
  std::string next = label;
  for (const std::string& text : texts) {
    if (!text.empty()) line(std::exchange(next, ""), text);
  }
}

void TextReport::next(const std::string& command, const std::string& purpose) {
  if (command.empty()) return;
  if (style_.markup)
    return describe(std::exchange(has_next_, true) ? "" : "next",
                    prose(purpose) + command_block(command));
  line(has_next_ ? "" : "next", "# " + purpose);
  text_ += command_lines(command, kIndent, style_.columns());
  has_next_ = true;
}

}  // namespace plimsoll
