// The one percentile rule of the program: rank p / 100 * (n - 1), linear interpolation between the
// two closest ranks (type 7 of Hyndman and Fan, the default of numpy).
#pragma once

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

namespace plimsoll {

/// Percentiles of a column of finite numbers, in any order and number. Nothing is sorted: the
/// column is dealt out once into narrow stretches of values, and each percentile selects within
/// its own.
template <class T>
class Percentiles {
 public:
  explicit Percentiles(std::vector<T> values) : values_(std::move(values)) {
    cuts_ = {0, values_.size()};
    if (values_.size() >= kWorthDealing) deal_out();
  }

  /// p in [0, 100]; 0 for an empty column.
  double at(double p) {
    if (values_.empty()) return 0;
    const double rank = p / 100 * static_cast<double>(values_.size() - 1);
    const auto lower = static_cast<std::size_t>(rank);
    const double weight = rank - static_cast<double>(lower);
    const auto low = static_cast<double>(ranked(lower));
    if (lower + 1 == values_.size()) return low;
    const auto high = static_cast<double>(ranked(lower + 1));
    return std::min(high, low + weight * (high - low));  // rounding must not pass the maximum
  }

 private:
  static constexpr std::size_t kStretches = 1024;
  static constexpr std::size_t kWorthDealing = 4 * kStretches;

  T ranked(std::size_t rank) {
    const auto next = std::upper_bound(cuts_.begin(), cuts_.end(), rank);
    const std::size_t first = *(next - 1);
    const std::size_t last = *next;
    if (last - first == 1) return values_[rank];
    if (rank == first) {
      std::iter_swap(place(first), std::min_element(place(first), place(last)));
    } else {
      std::nth_element(place(first), place(rank), place(last));
    }
    const auto inserted = rank == first ? next : cuts_.insert(next, rank) + 1;
    if (rank + 1 < last) cuts_.insert(inserted, rank + 1);
    return values_[rank];
  }

  // A counting sort by equal parts of the range.
  void deal_out() {
    const auto [least, greatest] = std::minmax_element(values_.begin(), values_.end());
    const auto from = static_cast<double>(*least);
    const double per_unit =
        static_cast<double>(kStretches - 1) / (static_cast<double>(*greatest) - from);
    if (!(per_unit > 0 && per_unit < 1e300)) return;
    const auto stretch_of = [=](T value) {
      return static_cast<std::size_t>((static_cast<double>(value) - from) * per_unit);
    };
    std::vector<std::size_t> next(kStretches + 1, 0);
    for (const T value : values_) ++next[stretch_of(value) + 1];
    for (std::size_t i = 1; i < next.size(); ++i) next[i] += next[i - 1];
    cuts_ = next;
    cuts_.erase(std::unique(cuts_.begin(), cuts_.end()), cuts_.end());
    std::vector<T> dealt(values_.size());
    for (const T value : values_) dealt[next[stretch_of(value)]++] = value;
    values_ = std::move(dealt);
  }

  auto place(std::size_t rank) { return values_.begin() + static_cast<std::ptrdiff_t>(rank); }

  std::vector<T> values_;
  std::vector<std::size_t>
      cuts_;  ///< no value before a cut is greater than one behind it; ascending
};

}  // namespace plimsoll
