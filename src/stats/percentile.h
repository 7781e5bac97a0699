// The one percentile rule of the program: rank p / 100 * (n - 1), linear interpolation between the
// two closest ranks (type 7 of Hyndman and Fan, the default of numpy).
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <vector>

namespace plimsoll {

/// Percentiles `ps`, ascending, each in [0, 100]; all 0 when `values` is empty. Reorders `values`
/// (selection, not a full sort), so that more may be taken from the same column afterwards.
template <class T, std::size_t N>
std::array<double, N> percentiles(std::vector<T>& values, const std::array<double, N>& ps) {
  std::array<double, N> result{};
  if (values.empty()) return result;
  auto from = values.begin();  // all before it are in their places
  for (std::size_t i = 0; i < N; ++i) {
    const double rank = ps[i] / 100 * static_cast<double>(values.size() - 1);
    const auto lower = static_cast<std::size_t>(rank);
    const double weight = rank - static_cast<double>(lower);
    const auto at = values.begin() + static_cast<std::ptrdiff_t>(lower);
    std::nth_element(from, at, values.end());
    from = at;
    const auto low = static_cast<double>(*at);
    const auto high =
        at + 1 == values.end() ? low : static_cast<double>(*std::min_element(at + 1, values.end()));
    result[i] = low + weight * (high - low);
  }
  return result;
}

template <class T>
double percentile(std::vector<T>& values, double p) {
  return percentiles<T, 1>(values, {p})[0];
}

}  // namespace plimsoll
