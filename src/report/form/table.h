// Text laid out for a terminal: wrapped paragraphs and columns aligned on the decimal point, within
// its width.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace plimsoll {

// The abilities of a terminal, and how what is good or bad looks there. Colour carries nothing that
// words do not carry too.

struct Style {
  bool color = false;
  int width = 80;  ///< columns; less than 60 counts as 60
  bool utf8 = true;
  bool markup = false;  ///< the body of a page: nothing of the above counts

  std::size_t columns() const { return static_cast<std::size_t>(std::max(width, 60)); }
  /// The columns of a paragraph, which is hard to read when it is wide.
  std::size_t text_columns() const { return std::min(columns(), std::size_t{100}); }
};

/// How good it is what a word says: of a verdict, a risk, the deployment to pick.
enum class Mood : std::int8_t { none, good, doubtful, bad };

/// Bold and green, yellow or red; of no mood: as it is.
inline std::string in_mood(const std::string& text, Mood mood, const Style& style) {
  constexpr std::string_view kCodes[]{"", "\x1b[1;32m", "\x1b[1;33m", "\x1b[1;31m"};
  if (!style.color || mood == Mood::none || text.empty()) return text;
  return std::string(kCodes[static_cast<int>(mood)]) + text + "\x1b[0m";
}

/// A label or the head of a column: bold.
inline std::string as_label(const std::string& text, const Style& style) {
  return style.color && !text.empty() ? "\x1b[1m" + text + "\x1b[0m" : text;
}

/// Columns that the text takes: characters, not bytes; it is UTF-8.
std::size_t width_of(std::string_view text);

/// The text with spaces at its end, if it takes fewer columns than `width`.
std::string padded(std::string text, std::size_t width);

/// Words of `text` in lines of at most `width` columns (a longer word stands alone), the first one
/// after `label` padded to `indent`, the others indented by it. Ends in a newline.
std::string paragraph(const std::string& label, const std::string& text, std::size_t indent,
                      std::size_t width);

/// Milliseconds or seconds, once per column.
struct LatencyUnit {
  const char* name;
  double ms;
};
LatencyUnit unit_for(double largest_ms);

/// A figure that a cell shows rounded, as a page has it for programs.
struct ExactFigure {
  std::string key;  ///< its id
  double value;     ///< NaN: there is none
};

struct Column {
  std::string header;
  std::vector<std::string> cells;       ///< "" = nothing to show
  bool aligned_on_point = true;         ///< else to the left
  std::vector<Mood> moods = {};         ///< of the cells; none for those it does not reach
  bool is_for_page = false;             ///< a terminal has no room for it
  std::vector<ExactFigure> exact = {};  ///< of the cells, as moods are
};

/// Columns without cells. The head of one that is aligned to the left begins with "<" here.
std::vector<Column> columns_of(const std::vector<std::string>& heads);

/// A row: a cell for each column.
void add_row(std::vector<Column>* columns, std::vector<std::string> cells);

/// The place of what does not fit, however narrow the columns are made.
enum class Overflow : std::int8_t {
  stack,  ///< stands in further tables below, each with the first column again
  drop    ///< is named in a line below: for lists, which are long
};

/// A header line and one line per row, each indented by two (none where columns are dropped) and
/// ended by a newline. Where they are wider than the style, columns move together, then heads are
/// stacked, then texts wrapped; what is still too much overflows.
std::string table(const std::vector<Column>& columns, const Style& style,
                  Overflow overflow = Overflow::stack);

}  // namespace plimsoll
