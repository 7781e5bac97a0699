// The one percentile rule of the program: rank p / 100 * (n - 1), linear interpolation between the
// two closest ranks (type 7 of Hyndman and Fan, the default of numpy).
#pragma once

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

namespace plimsoll {

/// Percentiles of a column, in any order and number. Selects instead of sorting, and each only
/// within the stretch between the ranks that earlier ones have put in their places.
template <class T>
class Percentiles {
 public:
  explicit Percentiles(std::vector<T> values) : values_(std::move(values)) {}

  /// p in [0, 100]; 0 for an empty column.
  double at(double p) {
    if (values_.empty()) return 0;
    const double rank = p / 100 * static_cast<double>(values_.size() - 1);
    const auto lower = static_cast<std::size_t>(rank);
    const double weight = rank - static_cast<double>(lower);
    const auto low = static_cast<double>(ranked(lower));
    if (lower + 1 == values_.size()) return low;
    return low + weight * (static_cast<double>(ranked(lower + 1)) - low);
  }

 private:
  T ranked(std::size_t rank) {
    const auto next = std::lower_bound(placed_.begin(), placed_.end(), rank);
    if (next != placed_.end() && *next == rank) return values_[rank];
    const std::size_t first = next == placed_.begin() ? 0 : *(next - 1) + 1;
    const std::size_t last = next == placed_.end() ? values_.size() : *next;
    if (rank == first) {
      std::iter_swap(place(first), std::min_element(place(first), place(last)));
    } else {
      std::nth_element(place(first), place(rank), place(last));
    }
    placed_.insert(next, rank);
    return values_[rank];
  }

  auto place(std::size_t rank) { return values_.begin() + static_cast<std::ptrdiff_t>(rank); }

  std::vector<T> values_;
  std::vector<std::size_t> placed_;  ///< ranks whose values are in their places, ascending
};

}  // namespace plimsoll
