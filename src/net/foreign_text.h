// What a server says, fit for a line of ours: a report, a field of a CSV file.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>

namespace plimsoll {

/// One line of printable ASCII, cut to a length that says enough.
inline std::string foreign_text(std::string_view text) {
  constexpr std::size_t kLongest = 120;
  std::string line(text.substr(0, kLongest));
  std::replace_if(
      line.begin(), line.end(), [](char c) { return c >= 0 && c < ' '; }, ' ');
  std::replace_if(
      line.begin(), line.end(), [](char c) { return c < ' ' || c > '~'; }, '?');
  return text.size() > kLongest ? line + "..." : line;
}

}  // namespace plimsoll
