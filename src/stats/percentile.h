// The one percentile rule of the program: rank p / 100 * (n - 1), linear interpolation between the
// two closest ranks (type 7 of Hyndman and Fan, the default of numpy).
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

namespace plimsoll {

/// Percentile p in [0, 100]; 0 when empty. Reorders `values` (selection, not a full sort), so
/// several percentiles of one column may be taken one after the other.
template <class T>
double percentile(std::vector<T>& values, double p) {
  if (values.empty()) return 0;
  const double rank = p / 100 * static_cast<double>(values.size() - 1);
  const auto lower = static_cast<std::size_t>(rank);
  const double weight = rank - static_cast<double>(lower);
  const auto at = values.begin() + static_cast<std::ptrdiff_t>(lower);
  std::nth_element(values.begin(), at, values.end());
  const auto low = static_cast<double>(*at);
  if (at + 1 == values.end()) return low;
  const auto high = static_cast<double>(*std::min_element(at + 1, values.end()));
  return low + weight * (high - low);
}

}  // namespace plimsoll
