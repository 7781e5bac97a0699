#include "engine/itl_histogram.h"

#include <algorithm>

namespace plimsoll {

// Goes through the gaps from the shortest to the longest, place by place.
class ItlHistogram::Walk {
 public:
  explicit Walk(const ItlHistogram& of) : of_(of), beyond_(of.beyond_.begin()) {}

  /// The place of the gap of that rank, from 0, below count(). The next rank may be less by one at
  /// most.
  std::int64_t place_at(std::int64_t rank) {
    while (end_ <= rank) go_on();
    return rank < begin_ ? place_before_ : place_;
  }

 private:
  void go_on() {
    for (; page_ < of_.pages_.size(); ++page_, in_page_ = 0) {
      const std::vector<std::int64_t>& counts = of_.pages_[page_];
      while (in_page_ < counts.size() && counts[in_page_] == 0) ++in_page_;
      if (in_page_ == counts.size()) continue;
      pass(static_cast<std::int64_t>(page_ * kPageSize + in_page_), counts[in_page_]);
      ++in_page_;
      return;
    }
    pass(beyond_->first, beyond_->second);
    ++beyond_;
  }

  void pass(std::int64_t place, std::int64_t count) {
    if (count == 0) return;
    place_before_ = place_;
    place_ = place;
    begin_ = end_;
    end_ += count;
  }

  const ItlHistogram& of_;
  std::size_t page_ = 0;
  std::size_t in_page_ = 0;
  std::map<std::int64_t, std::int64_t>::const_iterator beyond_;

  std::int64_t place_ = 0;  ///< has the ranks [begin_, end_)
  std::int64_t begin_ = 0;
  std::int64_t end_ = 0;
  std::int64_t place_before_ = 0;
};

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

std::int64_t ItlHistogram::count_above_us(std::int64_t us) const {
  const auto first = static_cast<std::size_t>(place_of(us) + 1);
  std::int64_t above = 0;
  for (std::size_t page = first >> kPageBits; page < pages_.size(); ++page) {
    const std::vector<std::int64_t>& counts = pages_[page];
    const std::size_t begin = page == first >> kPageBits ? first & kPageMask : 0;
    for (std::size_t i = begin; i < counts.size(); ++i) above += counts[i];
  }
  const auto beyond = beyond_.lower_bound(static_cast<std::int64_t>(first));
  for (auto at = beyond; at != beyond_.end(); ++at) above += at->second;
  return above;
}

double ItlHistogram::mean_us() const {
  return count_ > 0 ? static_cast<double>(sum_us_) / static_cast<double>(count_) : 0;
}

double ItlHistogram::percentile_us(double p) const { return percentiles_us({&p, 1}).front(); }

std::vector<double> ItlHistogram::percentiles_us(std::span<const double> ascending) const {
  std::vector<double> values(ascending.size(), 0);
  if (count_ <= 0) return values;
  Walk walk(*this);
  std::ranges::transform(ascending, values.begin(), [&](double p) {
    const double rank = p / 100 * static_cast<double>(count_ - 1);
    const auto lower = static_cast<std::int64_t>(rank);
    const double weight = rank - static_cast<double>(lower);
    const std::int64_t low = middle_of(walk.place_at(lower));
    const std::int64_t high = middle_of(walk.place_at(std::min(lower + 1, count_ - 1)));
    return static_cast<double>(low) + weight * static_cast<double>(high - low);
  });
  return values;
}

}  // namespace plimsoll
