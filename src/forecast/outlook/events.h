// What happened once in the past of a series and must not be taken for how it moves: levels that
// shifted from one day to the next (a launch, a customer who left) and odd days. Found without
// being told, on logarithms.
//
// A shift is a difference between the medians of the week before and the week after a moment that
// is far larger than all other such differences of the series (so that what wanders all the time
// has none), and that a step explains better than a slope does. An odd day lies far off the median
// of the days around it (Hampel 1974: medians and their absolute deviations are not moved by what
// is looked for).
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace plimsoll {

struct Event {
  std::size_t at = 0;  ///< the first step of the new level, or the odd step
  double log_size = 0;
};

struct Events {
  std::vector<Event> shifts;  ///< in order; empty where there are so many that they are the rule
  std::vector<Event> odd;     ///< likewise
};

/// `season` 1 = none. None in fewer than 21 values. `known`: steps at which a new level begins,
/// whatever its size.
Events find_events(std::span<const double> logs, std::size_t season,
                   std::span<const std::size_t> known = {});

/// The series as it would have been on its last level from the beginning, and without odd steps.
std::vector<double> without_events(std::span<const double> logs, const Events& events);

/// For each step the median of those up to `reach` steps away.
std::vector<double> running_median(std::span<const double> values, std::size_t reach);

}  // namespace plimsoll
