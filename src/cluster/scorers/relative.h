// Scores by where a value lies between the least and the greatest of all instances.
#pragma once

#include <algorithm>
#include <span>

namespace plimsoll {

/// 1 for the least value, 0 for the greatest; 1 for all if they are equal. May work in place.
inline void least_is_best(std::span<const double> values, std::span<double> scores) {
  const auto [least, greatest] = std::minmax_element(values.begin(), values.end());
  const double low = *least;
  const double high = *greatest;
  for (std::size_t i = 0; i < scores.size(); ++i) {
    scores[i] = high == low ? 1 : (high - values[i]) / (high - low);
  }
}

/// 1 for the greatest value, 0 for the least; 1 for all if they are equal.
inline void greatest_is_best(std::span<const double> values, std::span<double> scores) {
  const auto [least, greatest] = std::minmax_element(values.begin(), values.end());
  const double low = *least;
  const double high = *greatest;
  for (std::size_t i = 0; i < scores.size(); ++i) {
    scores[i] = high == low ? 1 : (values[i] - low) / (high - low);
  }
}

}  // namespace plimsoll
