// A bar of a terminal chart.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <string_view>

namespace plimsoll {

/// `share` (0 to 1) of `cells` columns: in UTF-8 to an eighth of a column, else in whole `#`.
/// Anything above zero shows.
inline std::string bar(double share, int cells, bool utf8) {
  constexpr std::array<std::string_view, 8> kEighths{"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
  const long parts_per_cell = utf8 ? 8 : 1;
  long parts =
      std::lround(std::clamp(share, 0.0, 1.0) * static_cast<double>(cells * parts_per_cell));
  if (share > 0) parts = std::max(parts, 1L);
  std::string out;
  for (long i = 0; i < parts / parts_per_cell; ++i) out += utf8 ? "█" : "#";
  if (utf8) out += kEighths[static_cast<std::size_t>(parts % parts_per_cell)];
  return out;
}

}  // namespace plimsoll
