// The best of several instances, where equals are chosen at random.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "random/stream.h"

namespace plimsoll {

class RandomTie {
 public:
  explicit RandomTie(std::uint64_t seed) : seed_(seed) {}

  /// Index of the greatest value; one of them, each with the same probability, if several are
  /// exactly equal. The draw depends on the seed and the number of calls before.
  std::size_t greatest(std::span<const double> values) {
    const std::uint64_t decision = decisions_++;
    const double best = *std::max_element(values.begin(), values.end());
    tied_.clear();
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (values[i] == best) tied_.push_back(i);
    }
    if (tied_.size() == 1) return tied_.front();
    return tied_[RandomStream(seed_, Purpose::routing, decision).bits() % tied_.size()];
  }

 private:
  std::uint64_t seed_;
  std::uint64_t decisions_ = 0;
  std::vector<std::size_t> tied_;
};

}  // namespace plimsoll
