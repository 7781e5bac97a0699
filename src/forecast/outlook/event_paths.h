// Events of a history (forecast/outlook/events.h) on the sample paths of what comes: odd days come
// again as often as they did, and a level of a few days stays on some paths only. Called where
// paths are drawn, on logarithms.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "forecast/outlook/events.h"

namespace plimsoll {

class EventPaths {
 public:
  /// Of a history of so many values.
  EventPaths(const Events& events, std::size_t values);

  void add_to(std::vector<double>* logs, std::uint64_t seed, std::size_t path) const;

  /// True where paths are no longer distributed as the bands around what is expected.
  bool may_end() const { return age_ > 0; }

 private:
  std::vector<double> sizes_;  // of odd days above the level
  double values_;
  double young_ = 0;        // log size of a level that may end
  std::size_t age_ = 0;     // of it, in steps; 0: there is none
  double level_error_ = 0;  // of the young one
};

/// The chance that a level so many steps old, of fewer than kLongestStretch, is there to stay.
/// Before it began an event was as likely as a new level, and of any length alike.
double chance_to_stay(std::size_t age);

}  // namespace plimsoll
