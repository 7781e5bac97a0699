// All inter-token latencies of a run, pooled: counts by microsecond, exact or in classes whose
// middle is at most 0.1 % away, in pages that exist only where latencies occur. The engine adds to
// it once per step; metrics reads it.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "base/units.h"

namespace plimsoll {

class ItlHistogram {
 public:
  /// Exact below 1.024 ms in any case; beyond that 512 classes for each doubling of the latency,
  /// unless `exact`. Coarse counts fit a cache.
  explicit ItlHistogram(bool exact = true) : exact_(exact) {}

  /// Counts `weight` gaps of this length, cut to whole microseconds; a negative weight takes back
  /// earlier counts. `gap` is not negative.
  void add(Duration gap, std::int64_t weight) { add_us(gap.ns / 1000, weight); }
  void add_us(std::int64_t us, std::int64_t weight) { add_at(place_of(us), weight, us * weight); }

  /// Counts gaps that follow each other and differ little, as those of decode steps do: one look at
  /// the counts for all that fall into the same class.
  class Streak {
   public:
    /// Each gap counts `weight` times; counted in `histogram` when the streak ends.
    Streak(ItlHistogram& histogram, std::int64_t weight) : histogram_(histogram), weight_(weight) {}
    Streak(const Streak&) = delete;
    Streak& operator=(const Streak&) = delete;
    ~Streak() { count(); }

    void add_us(std::int64_t us) {
      if (us < begin_ || us >= end_) start_class(us);
      ++gaps_;
      sum_us_ += us;
    }

   private:
    void count() {
      if (gaps_ > 0) histogram_.add_at(place_, weight_ * gaps_, weight_ * sum_us_);
    }
    void start_class(std::int64_t us) {
      count();
      gaps_ = 0;
      sum_us_ = 0;
      place_ = histogram_.place_of(us);
      const int shift = histogram_.shift_of(us);
      begin_ = us >> shift << shift;
      end_ = begin_ + (std::int64_t{1} << shift);
    }

    ItlHistogram& histogram_;
    std::int64_t weight_;
    std::int64_t place_ = 0;
    std::int64_t begin_ = 0;  // of the class, in microseconds
    std::int64_t end_ = 0;
    std::int64_t gaps_ = 0;
    std::int64_t sum_us_ = 0;
  };

  /// Both are exact or both are not, unless this one is new.
  void merge(const ItlHistogram& other);

  std::int64_t count() const { return count_; }
  /// How many are longer than so many microseconds; those of the class that has them are not.
  std::int64_t count_above_us(std::int64_t us) const;
  /// Mean in microseconds; 0 when empty.
  double mean_us() const;
  /// Percentile p in [0, 100] in microseconds by linear interpolation between closest ranks,
  /// p / 100 * (n - 1); 0 when empty.
  double percentile_us(double p) const;
  /// Several of them, in ascending order, for the price of one.
  std::vector<double> percentiles_us(std::span<const double> ascending) const;

  bool operator==(const ItlHistogram&) const = default;

 private:
  static constexpr int kPageBits = 10;
  static constexpr int kClassBits = 9;
  static constexpr std::int64_t kPerDoubling = std::int64_t{1} << kClassBits;
  static constexpr std::size_t kPageSize = std::size_t{1} << kPageBits;
  static constexpr std::size_t kPageMask = kPageSize - 1;
  static constexpr std::size_t kDensePages = 1 << 14;  // up to about 17 s

  // A place counts one microsecond or, past the exact ones, one class: the leading 10 bits.
  int shift_of(std::int64_t us) const {
    if (exact_ || us < 2 * kPerDoubling) return 0;
    return static_cast<int>(std::bit_width(static_cast<std::uint64_t>(us))) - kClassBits - 1;
  }
  std::int64_t place_of(std::int64_t us) const {
    const int shift = shift_of(us);
    return (us >> shift) + shift * kPerDoubling;
  }
  std::int64_t middle_of(std::int64_t place) const {
    if (exact_ || place < 2 * kPerDoubling) return place;
    const std::int64_t shift = place / kPerDoubling - 1;
    return ((place - shift * kPerDoubling) << shift) + (std::int64_t{1} << shift) / 2;
  }
  void add_at(std::int64_t place, std::int64_t weight, std::int64_t sum_us) {
    count_ += weight;
    sum_us_ += sum_us;
    const auto page = static_cast<std::size_t>(place) >> kPageBits;
    if (page < pages_.size() && !pages_[page].empty()) [[likely]] {
      pages_[page][static_cast<std::size_t>(place) & kPageMask] += weight;
    } else {
      add_to_new_place(place, weight);
    }
  }
  void add_to_new_place(std::int64_t place, std::int64_t weight);

  class Walk;

  bool exact_;
  std::vector<std::vector<std::int64_t>> pages_;  ///< counts by place; empty = no counts
  std::map<std::int64_t, std::int64_t> beyond_;   ///< past the dense pages
  std::int64_t count_ = 0;
  std::int64_t sum_us_ = 0;
};

}  // namespace plimsoll
