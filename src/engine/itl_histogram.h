// All inter-token latencies of a run, pooled: exact counts per microsecond, in pages that exist
// only where latencies occur.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "base/units.h"

namespace plimsoll {

class ItlHistogram {
 public:
  /// Counts `weight` gaps of this length; a negative weight takes back earlier counts.
  void add(Duration gap, std::int64_t weight);
  void merge(const ItlHistogram& other);

  std::int64_t count() const { return count_; }
  /// Mean in microseconds; 0 when empty.
  double mean_us() const;
  /// Percentile p in [0, 100] in microseconds by linear interpolation between closest ranks,
  /// p / 100 * (n - 1); 0 when empty.
  double percentile_us(double p) const;

 private:
  static constexpr int kPageBits = 10;
  static constexpr std::int64_t kDensePages = 1 << 14;  // up to about 17 s

  std::vector<std::vector<std::int64_t>> pages_;  ///< counts by microsecond; empty = no counts
  std::map<std::int64_t, std::int64_t> beyond_;   ///< past the dense pages
  std::int64_t count_ = 0;
  double sum_us_ = 0;  // integers below 2^53: exact
};

}  // namespace plimsoll
