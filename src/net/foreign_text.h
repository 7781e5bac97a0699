// The words of a server, fit for a line of ours: a report, a field of a CSV file.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>

#include "base/redaction.h"

namespace plimsoll {

/// One line of printable ASCII without the keys of the user, cut to a length that says enough.
inline std::string foreign_text(std::string_view answer) {
  constexpr std::size_t kLongest = 120;
  const std::string text = redacted(answer);  // before it is cut: half a key is a key half known
  std::string line(text.substr(0, kLongest));
  std::replace_if(
      line.begin(), line.end(), [](char c) { return c >= 0 && c < ' '; }, ' ');
  std::replace_if(
      line.begin(), line.end(), [](char c) { return c < ' ' || c > '~'; }, '?');
  return text.size() > kLongest ? line + "..." : line;
}

}  // namespace plimsoll
