// The abilities of a terminal, and how what is good or bad looks there. Colour carries nothing that
// words do not carry too.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace plimsoll {

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

}  // namespace plimsoll
