// Text laid out for a terminal: wrapped paragraphs and columns aligned on the decimal point, within
// its width.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "report/form/style.h"

namespace plimsoll {

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
