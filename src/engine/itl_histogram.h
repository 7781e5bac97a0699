// All inter-token latencies of a run, pooled: exact counts per microsecond, in pages that exist
// only where latencies occur. The engine adds to it once per step; metrics reads it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

#include "base/units.h"

namespace plimsoll {

class ItlHistogram {
 public:
  /// Counts `weight` gaps of this length, cut to whole microseconds; a negative weight takes back
  /// earlier counts. `gap` is not negative.
  void add(Duration gap, std::int64_t weight) {
    const std::int64_t us = gap.ns / 1000;
    count_ += weight;
    sum_us_ += us * weight;
    const auto page = static_cast<std::size_t>(us) >> kPageBits;
    if (page < pages_.size() && !pages_[page].empty()) [[likely]] {
      pages_[page][static_cast<std::size_t>(us) & kPageMask] += weight;
    } else {
      add_to_new_place(us, weight);
    }
  }
  void merge(const ItlHistogram& other);

  std::int64_t count() const { return count_; }
  /// Mean in microseconds; 0 when empty.
  double mean_us() const;
  /// Percentile p in [0, 100] in microseconds by linear interpolation between closest ranks,
  /// p / 100 * (n - 1); 0 when empty.
  double percentile_us(double p) const;

 private:
  static constexpr int kPageBits = 10;
  static constexpr std::size_t kPageSize = std::size_t{1} << kPageBits;
  static constexpr std::size_t kPageMask = kPageSize - 1;
  static constexpr std::size_t kDensePages = 1 << 14;  // up to about 17 s

  void add_to_new_place(std::int64_t us, std::int64_t weight);

  std::vector<std::vector<std::int64_t>> pages_;  ///< counts by microsecond; empty = no counts
  std::map<std::int64_t, std::int64_t> beyond_;   ///< past the dense pages
  std::int64_t count_ = 0;
  std::int64_t sum_us_ = 0;
};

}  // namespace plimsoll
