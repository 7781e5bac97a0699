// The one percentile rule of the program: rank p / 100 * (n - 1), linear interpolation between the
// two closest ranks (type 7 of Hyndman and Fan, the default of numpy).
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>
#include <utility>
#include <vector>

namespace plimsoll {

/// Finite numbers of which some are asked for by rank. Nothing is sorted: what is known of their
/// order by now narrows the next search.
template <class T>
class Ranking {
 public:
  explicit Ranking(std::vector<T> values = {})
      : values_(std::move(values)), cuts_{0, values_.size()} {}

  void add(T value) {
    values_.push_back(value);
    cuts_.back() = values_.size();
  }

  /// 0 is the rank of the least.
  T at(std::size_t rank) {
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

 private:
  auto place(std::size_t rank) { return values_.begin() + static_cast<std::ptrdiff_t>(rank); }

  std::vector<T> values_;
  /// No value before a cut is greater than one behind it; ascending.
  std::vector<std::size_t> cuts_;
};

/// Percentiles of a column of finite numbers, in any order and number. Of a long column the values
/// are counted by narrow stretches of their range, and those of a stretch are looked for when one
/// of them is asked for: no long column is moved or copied.
template <class T>
class Percentiles {
 public:
  explicit Percentiles(std::vector<T> values) : size_(values.size()), values_(std::move(values)) {
    if (size_ >= kLong) count();
    if (first_ranks_.empty()) {
      first_ranks_.resize(2);
      first_ranks_[1] = size_;
      found_.emplace_back(0, Ranking<T>(std::move(values_)));
    }
  }

  /// p in [0, 100]; 0 for an empty column.
  double at(double p) {
    if (size_ == 0) return 0;
    const double rank = rank_of(p);
    const auto lower = static_cast<std::size_t>(rank);
    const double weight = rank - static_cast<double>(lower);
    const auto low = static_cast<double>(ranked(lower));
    if (lower + 1 == size_) return low;
    const auto high = static_cast<double>(ranked(lower + 1));
    return std::min(high, low + weight * (high - low));  // rounding must not pass the maximum
  }

  /// These will be asked for: one look at the column finds what all of them need.
  void prepare(std::span<const double> percentiles) {
    if (size_ == 0) return;
    std::vector<std::size_t> stretches;
    for (const double p : percentiles) {
      const auto lower = static_cast<std::size_t>(rank_of(p));
      stretches.push_back(stretch_at(lower));
      stretches.push_back(stretch_at(std::min(lower + 1, size_ - 1)));
    }
    find(stretches);
  }

 private:
  static constexpr std::size_t kStretches = 1024;
  static constexpr std::size_t kLong = 4 * kStretches;

  double rank_of(double p) const { return p / 100 * static_cast<double>(size_ - 1); }

  // Equal parts of the range.
  std::size_t stretch_of(T value) const {
    return static_cast<std::size_t>((static_cast<double>(value) - least_) * per_unit_);
  }

  std::size_t stretch_at(std::size_t rank) const {
    const auto next = std::upper_bound(first_ranks_.begin(), first_ranks_.end(), rank);
    return static_cast<std::size_t>(next - first_ranks_.begin()) - 1;
  }

  void count() {
    const auto [least, greatest] = std::minmax_element(values_.begin(), values_.end());
    least_ = static_cast<double>(*least);
    per_unit_ = static_cast<double>(kStretches - 1) / (static_cast<double>(*greatest) - least_);
    if (!(per_unit_ > 0 && per_unit_ < 1e300)) return;
    first_ranks_.resize(kStretches + 1);
    for (const T value : values_) ++first_ranks_[stretch_of(value) + 1];
    for (std::size_t i = 1; i <= kStretches; ++i) first_ranks_[i] += first_ranks_[i - 1];
  }

  Ranking<T>* found(std::size_t stretch) {
    const auto at = std::find_if(found_.begin(), found_.end(),
                                 [&](const auto& part) { return part.first == stretch; });
    return at == found_.end() ? nullptr : &at->second;
  }

  void find(std::span<const std::size_t> stretches) {
    const std::size_t known = found_.size();
    for (const std::size_t stretch : stretches) {
      if (found(stretch) == nullptr) found_.emplace_back(stretch, Ranking<T>());
    }
    if (found_.size() == known) return;
    std::array<Ranking<T>*, kStretches> wanted{};
    for (std::size_t i = known; i < found_.size(); ++i) wanted[found_[i].first] = &found_[i].second;
    for (const T value : values_) {
      if (Ranking<T>* part = wanted[stretch_of(value)]; part != nullptr) part->add(value);
    }
  }

  T ranked(std::size_t rank) {
    const std::size_t stretch = stretch_at(rank);
    find({&stretch, 1});
    return found(stretch)->at(rank - first_ranks_[stretch]);
  }

  std::size_t size_;
  std::vector<T> values_;  ///< empty if found_ has all of them
  double least_ = 0;
  double per_unit_ = 0;                   ///< stretches
  std::vector<std::size_t> first_ranks_;  ///< of each stretch, and the number of all values
  std::vector<std::pair<std::size_t, Ranking<T>>> found_;  ///< stretches by number
};

}  // namespace plimsoll
