#include "engine/itl_histogram.h"

#include <numeric>

namespace plimsoll {
namespace {

// The values at two neighbouring ranks of a sorted sequence that is met as runs of equal values.
class RankPair {
 public:
  explicit RankPair(std::int64_t lower) : lower_(lower) {}

  /// The next `count` values are all `value`. True once both ranks are known.
  bool pass(std::int64_t value, std::int64_t count) {
    seen_ += count;
    if (!found_lower_ && seen_ > lower_) {
      lower_value = value;
      found_lower_ = true;
    }
    if (seen_ <= lower_ + 1) return false;
    upper_value = value;
    return true;
  }

  /// The next `count` values all lie below both ranks: passes them at once. Else false.
  bool skip(std::int64_t count) {
    if (seen_ + count > lower_) return false;
    seen_ += count;
    return true;
  }

  std::int64_t lower_value = 0;
  std::int64_t upper_value = 0;

 private:
  std::int64_t lower_;
  std::int64_t seen_ = 0;
  bool found_lower_ = false;
};

}  // namespace

void ItlHistogram::add_to_new_place(std::int64_t place, std::int64_t weight) {
  const auto page = static_cast<std::size_t>(place) >> kPageBits;
  if (page >= kDensePages) {
    beyond_[place] += weight;
    return;
  }
  if (page >= pages_.size()) pages_.resize(page + 1);
  pages_[page].resize(kPageSize);
  pages_[page][static_cast<std::size_t>(place) & kPageMask] += weight;
}

void ItlHistogram::merge(const ItlHistogram& other) {
  if (count_ == 0) exact_ = other.exact_;
  if (pages_.size() < other.pages_.size()) pages_.resize(other.pages_.size());
  for (std::size_t page = 0; page < other.pages_.size(); ++page) {
    const auto& theirs = other.pages_[page];
    if (theirs.empty()) continue;
    auto& ours = pages_[page];
    ours.resize(kPageSize);
    for (std::size_t i = 0; i < kPageSize; ++i) ours[i] += theirs[i];
  }
  for (const auto& [place, weight] : other.beyond_) beyond_[place] += weight;
  count_ += other.count_;
  sum_us_ += other.sum_us_;
}

double ItlHistogram::mean_us() const {
  return count_ > 0 ? static_cast<double>(sum_us_) / static_cast<double>(count_) : 0;
}

double ItlHistogram::percentile_us(double p) const {
  if (count_ <= 0) return 0;
  const double rank = p / 100 * static_cast<double>(count_ - 1);
  const auto lower = static_cast<std::int64_t>(rank);
  const double weight = rank - static_cast<double>(lower);

  RankPair at(lower);
  const auto search = [&] {
    for (std::size_t page = 0; page < pages_.size(); ++page) {
      const auto& counts = pages_[page];
      if (at.skip(std::accumulate(counts.begin(), counts.end(), std::int64_t{0}))) continue;
      for (std::size_t i = 0; i < counts.size(); ++i) {
        if (at.pass(static_cast<std::int64_t>(page * kPageSize + i), counts[i])) return;
      }
    }
    for (const auto& [place, count] : beyond_) {
      if (at.pass(place, count)) return;
    }
    at.upper_value = at.lower_value;  // the lower rank is the last value
  };
  search();
  const std::int64_t low = middle_of(at.lower_value);
  const std::int64_t high = middle_of(at.upper_value);
  return static_cast<double>(low) + weight * static_cast<double>(high - low);
}

}  // namespace plimsoll
