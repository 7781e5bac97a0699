#include "report/form/table.h"

#include <algorithm>
#include <cassert>
#include <sstream>

#include "base/lists.h"
#include "base/text.h"

namespace plimsoll {
namespace {

constexpr const char* kDigits = "0123456789";

// The first word of the cell up to its decimal point.
std::string_view whole_part(std::string_view cell) {
  return cell.substr(0, cell.find_first_of(". "));
}
bool begins_with_number(std::string_view cell) {
  return whole_part(cell).find_first_of(kDigits) != cell.npos;
}

// Pads cells on both sides so that their decimal points stand below each other.
void align_points(std::vector<std::string>* cells) {
  std::size_t before = 0;
  std::size_t after = 0;
  for (const std::string& cell : *cells) {
    if (!begins_with_number(cell)) continue;
    const std::size_t whole = width_of(whole_part(cell));
    before = std::max(before, whole);
    after = std::max(after, width_of(cell) - whole);
  }
  for (std::string& cell : *cells) {
    const std::size_t whole = width_of(begins_with_number(cell) ? whole_part(cell) : cell);
    cell.insert(0, before - std::min(before, whole), ' ');
    cell = padded(std::move(cell), before + after);
  }
}

bool is_number(std::string_view word) {
  return word.find_first_of(kDigits) != word.npos &&
         word.find_first_not_of("0123456789.,+-$[(") == word.npos;
}

bool is_unit(std::string_view word) {
  constexpr std::string_view kUnits[]{
      "%",  "us",  "ms",   "s",     "min",      "h",         "day",     "days",     "GiB",   "W",
      "Wh", "GPU", "GPUs", "times", "instance", "instances", "request", "requests", "tokens"};
  word = word.substr(0, word.find_first_of(".,;:)]"));
  return word.find("/s") != word.npos || std::ranges::count(kUnits, word) > 0;
}

void trim_right(std::string* line) { line->erase(line->find_last_not_of(' ') + 1); }

using Lines = std::vector<std::string>;

Lines wrapped(const std::string& text, std::size_t width) {
  Lines lines;
  std::istringstream all(paragraph("", text, 0, width));
  for (std::string line; std::getline(all, line);) lines.push_back(line);
  return lines;
}

std::size_t widest(const Lines& lines) {
  std::size_t width = 0;
  for (const std::string& line : lines) width = std::max(width, width_of(line));
  return width;
}

// The width of " <- answer" behind a figure, over which its head does not reach.
std::size_t widest_mark(const Lines& cells) {
  std::size_t width = 0;
  for (const std::string& cell : cells) {
    const std::size_t begin = cell.find(" <- ");
    if (begin != cell.npos) width = std::max(width, width_of(cell.substr(begin)));
  }
  return width;
}

class Grid {
 public:
  Grid(const std::vector<Column>& columns, const Style& style, std::size_t indent, std::size_t gap)
      : style_(style), indent_(indent), gap_(gap) {
    for (const Column& column : columns) rows_ = std::max(rows_, column.cells.size());
    for (const Column& column : columns) columns_.push_back(placed(column));
  }

  bool is_too_wide() const {
    std::size_t width = indent_ + gap_ * (columns_.size() - 1);
    for (const Placed& c : columns_) width += c.width;
    return width > style_.columns();
  }

  // Columns move together, then heads are stacked: as far as that is needed. Long names of a list
  // take lines of their own.
  void close_up() {
    constexpr std::size_t kUsualName = 40;
    if (is_too_wide()) gap_ = 2;
    for (Placed& c : columns_) {
      if (is_too_wide()) wrap(&c, cell_width(c));
    }
    if (is_too_wide() && indent_ == 0) columns_[0].width = std::min(columns_[0].width, kUsualName);
  }

  // And texts are wrapped, to no fewer columns than `least_text`, names of rows last.
  void fit(std::size_t least_text = 18) {
    constexpr std::size_t kLeastName = 30;
    close_up();
    for (std::size_t most = style_.columns(); most >= least_text && is_too_wide(); --most) {
      for (std::size_t c = 1; c < columns_.size(); ++c) {
        const bool is_text = !columns_[c].column->aligned_on_point;
        if (is_text && columns_[c].width > most && is_too_wide()) wrap(&columns_[c], most);
      }
    }
    if (indent_ == 0) return;
    for (std::size_t most = columns_[0].width; most > kLeastName && is_too_wide();)
      wrap(&columns_[0], --most);
  }

  std::string text() const {
    const auto label = [this](const Placed&, const std::string& text) {
      return as_label(text, style_);
    };
    std::string out = lines_of([](const Placed& c) -> const Lines& { return c.header; }, label);
    for (std::size_t row = 0; row < rows_; ++row) {
      const auto in_its_mood = [&](const Placed& c, const std::string& text) {
        const std::vector<Mood>& moods = c.column->moods;
        return in_mood(text, row < moods.size() ? moods[row] : Mood::none, style_);
      };
      out += lines_of([row](const Placed& c) -> const Lines& { return c.cells[row]; }, in_its_mood);
    }
    return out;
  }

 private:
  struct Placed {
    const Column* column;
    Lines header;
    std::vector<Lines> cells;
    std::size_t width = 0;
  };

  Placed placed(const Column& column) const {
    Lines cells = column.cells;
    cells.resize(rows_);
    std::string header = column.header;
    if (column.aligned_on_point) {
      align_points(&cells);
      const std::size_t room = widest(cells) - std::min(widest(cells), width_of(header));
      header += std::string(std::min(room, widest_mark(cells)), ' ');
    }
    Placed out{&column, {header}, {}, std::max(width_of(header), widest(cells))};
    for (std::string& cell : cells) out.cells.push_back({std::move(cell)});
    return out;
  }

  static std::size_t cell_width(const Placed& c) {
    std::size_t width = 1;
    for (const Lines& cell : c.cells) width = std::max(width, widest(cell));
    return width;
  }

  void wrap(Placed* c, std::size_t width) const {
    c->header = wrapped(c->column->header, width);
    for (std::size_t row = 0; row < rows_ && !c->column->aligned_on_point; ++row) {
      if (row < c->column->cells.size()) c->cells[row] = wrapped(c->column->cells[row], width);
    }
    c->width = std::max(widest(c->header), cell_width(*c));
  }

  // The lines of one row, of which each column gives its own.
  template <typename CellOf, typename Painted>
  std::string lines_of(const CellOf& cell_of, const Painted& painted) const {
    std::size_t height = 1;
    for (const Placed& c : columns_) height = std::max(height, cell_of(c).size());
    std::string out;
    for (std::size_t i = 0; i < height; ++i) {
      std::string line(indent_, ' ');
      for (const Placed& c : columns_) {
        const std::string text = i < cell_of(c).size() ? cell_of(c)[i] : "";
        const std::string padding(c.width - std::min(c.width, width_of(text)), ' ');
        const std::string shown = painted(c, text);
        line += (c.column->aligned_on_point ? padding + shown : shown + padding);
        if (width_of(text) > c.width) line += "\n" + std::string(c.width, ' ');
        line.append(gap_, ' ');
      }
      trim_right(&line);
      out += line + "\n";
    }
    return out;
  }

  const Style& style_;
  std::size_t indent_;
  std::size_t gap_;
  std::size_t rows_ = 0;
  std::vector<Placed> columns_;
};

// As many of the columns from `next` on as have room beside the first; `least` of all at least. In
// a list, sentences that can be wrapped into broad columns have room.
std::vector<Column> with_room(const std::vector<Column>& columns, std::size_t next,
                              std::size_t least, const Style& style, std::size_t indent) {
  std::vector<Column> shown{columns[0]};
  for (; next < columns.size(); ++next) {
    shown.push_back(columns[next]);
    if (shown.size() <= least) continue;
    Grid grid(shown, style, indent, 2);
    constexpr std::size_t kBroad = 40;
    if (indent == 0) {
      grid.fit(kBroad);
    } else {
      grid.close_up();
    }
    if (!grid.is_too_wide()) continue;
    shown.pop_back();
    break;
  }
  return shown;
}

// In a table that goes on, a row that has nothing more to say is left out.
void drop_silent_rows(std::vector<Column>* columns) {
  for (std::size_t row = columns->front().cells.size(); row-- > 0;) {
    const bool speaks = std::any_of(columns->begin() + 1, columns->end(), [row](const Column& c) {
      return row < c.cells.size() && !c.cells[row].empty();
    });
    if (speaks) continue;
    const auto erase = [row](auto& values) {
      if (row < values.size()) values.erase(values.begin() + static_cast<std::ptrdiff_t>(row));
    };
    for (Column& column : *columns) {
      erase(column.cells);
      erase(column.moods);
    }
  }
}

std::string left_out_text(const std::vector<Column>& columns, std::size_t next,
                          const Style& style) {
  std::vector<std::string> names;
  for (; next < columns.size(); ++next) names.push_back(columns[next].header);
  if (names.empty()) return {};
  return "\n" + paragraph("",
                          "not shown in this width: " + join(names, ", ") + " (--json shows all)",
                          0, style.text_columns());
}

}  // namespace

std::string padded(std::string text, std::size_t width) {
  return text.append(width - std::min(width, width_of(text)), ' ');
}

std::size_t width_of(std::string_view text) {
  const auto continues = [](char c) { return (static_cast<unsigned char>(c) & 0xC0) == 0x80; };
  return text.size() - static_cast<std::size_t>(std::ranges::count_if(text, continues));
}

std::string paragraph(const std::string& label, const std::string& text, std::size_t indent,
                      std::size_t width) {
  std::vector<std::string> parts;  // words, each number with its unit, each arrow with its word
  std::istringstream words(text);
  for (std::string word; words >> word;) {
    const bool belongs =
        !parts.empty() && (parts.back() == "<-" || (is_number(parts.back()) && is_unit(word)));
    if (belongs) {
      parts.back() += " " + word;
    } else {
      parts.push_back(word);
    }
  }
  std::string out;
  std::string line = padded(label, indent);
  bool empty = true;
  for (const std::string& part : parts) {
    if (!empty && width_of(line) + 1 + width_of(part) > width) {
      out += line + "\n";
      line.assign(indent, ' ');
      empty = true;
    }
    line += (empty ? "" : " ") + part;
    empty = false;
  }
  trim_right(&line);
  return out + line + "\n";
}

std::vector<Column> columns_of(const std::vector<std::string>& heads) {
  return mapped(heads, [](const std::string& head) {
    const bool left = head.starts_with('<');
    return Column{head.substr(left ? 1 : 0), {}, !left};
  });
}

void add_row(std::vector<Column>* columns, std::vector<std::string> cells) {
  assert(cells.size() == columns->size());
  for (std::size_t i = 0; i < columns->size(); ++i) {
    (*columns)[i].cells.push_back(std::move(cells[i]));
  }
}

LatencyUnit unit_for(double largest_ms) {
  constexpr double kLongMs = 10'000;
  return largest_ms >= kLongMs ? LatencyUnit{"s", 1000} : LatencyUnit{"ms", 1};
}

std::string table(const std::vector<Column>& columns, const Style& style, Overflow overflow) {
  const bool drops = overflow == Overflow::drop;
  const std::size_t indent = drops ? 0 : 2;
  const std::size_t gap = drops ? 2 : 3;
  Grid whole(columns, style, indent, gap);
  whole.fit();
  if (!whole.is_too_wide() || columns.size() < 3) return whole.text();
  std::string out;
  std::size_t next = 1;
  do {
    std::vector<Column> shown = with_room(columns, next, drops ? 1 : 2, style, indent);
    if (next > 1) drop_silent_rows(&shown);
    Grid part(shown, style, indent, gap);
    part.fit();
    out += (out.empty() ? "" : "\n") + part.text();
    next += shown.size() - 1;
  } while (!drops && next < columns.size());
  return out + left_out_text(columns, next, style);
}

}  // namespace plimsoll
