// Which of n instances has the earliest event: a winner tree, O(log n) per change of one time.
#pragma once

#include <cstddef>
#include <vector>

#include "base/units.h"

namespace plimsoll {

class Tournament {
 public:
  explicit Tournament(std::size_t n) {
    while (leaves_ < n) leaves_ *= 2;
    time_.assign(2 * leaves_, kNever);
    winner_.resize(2 * leaves_);
    for (std::size_t i = 0; i < leaves_; ++i) winner_[leaves_ + i] = i;
    for (std::size_t node = leaves_; node-- > 1;) winner_[node] = winner_[2 * node];
  }

  /// Equal times go to the lowest index.
  std::size_t winner() const { return winner_[1]; }
  Time earliest() const { return time_[1]; }

  void set(std::size_t index, Time time) {
    std::size_t node = leaves_ + index;
    time_[node] = time;
    while (node > 1) {
      node /= 2;
      const std::size_t better = time_[2 * node + 1] < time_[2 * node] ? 2 * node + 1 : 2 * node;
      time_[node] = time_[better];
      winner_[node] = winner_[better];
    }
  }

 private:
  std::size_t leaves_ = 1;
  std::vector<Time> time_;
  std::vector<std::size_t> winner_;
};

}  // namespace plimsoll
