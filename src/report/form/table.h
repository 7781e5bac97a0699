// Text laid out for a terminal: wrapped paragraphs and columns aligned on the decimal point.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace plimsoll {

inline constexpr std::size_t kIndent = 13;  ///< of what follows a label such as "assumed"

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

struct Column {
  std::string header;
  std::vector<std::string> cells;  ///< "" = nothing to show
  bool aligned_on_point = true;    ///< else to the left
};

/// A header line and one line per row, each indented by two and ended by a newline.
std::string table(const std::vector<Column>& columns);

}  // namespace plimsoll
