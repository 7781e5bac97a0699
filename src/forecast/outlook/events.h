// The events that happened once in the past of a series and must not be taken for how it moves:
// levels that shifted from one day to the next (a launch, a customer who left) or over some weeks
// (forecast/outlook/ramps.h), odd days, and odd stretches of up to two weeks (a promotion, a
// holiday). Found without being told, on logarithms.
//
// A shift is a difference between the medians of the week before and the week after a moment that
// is far larger than all other such differences of the series (so that what wanders all the time
// has none), and that a step explains better than a slope does. An odd stretch is a run of days
// whose mean lies far off the median of the six weeks around it (Hampel 1974: medians and their
// absolute deviations are not moved by what is looked for), further than such means usually do;
// where it begins and ends is where that explains most (circular binary segmentation: Olshen,
// Venkatraman, Lucito and Wigler 2004).
//
// A stretch that goes on to the end of the series may be a new level. For two weeks nobody can
// tell.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "forecast/outlook/bends.h"
#include "forecast/outlook/odd_stretches.h"

namespace plimsoll {

struct Events {
  std::size_t day = 1;        ///< steps of what events are made of
  std::vector<Event> shifts;  ///< in order; empty where there are so many that they are the rule
  std::vector<Event> odd;     ///< in order; likewise
  bool odd_is_usual = false;  ///< more than a quarter of the steps are odd, and none is an event
  /// How many days old the last shift is, where that is less than kLongestStretch and nobody
  /// declared it.
  std::optional<std::size_t> undecided;
  double level_error = 0;   ///< standard error of a last level that so few steps tell
  std::vector<Bend> bends;  ///< of growth, in order
};

/// `season` 1 = none. None in fewer than six values. `known`: steps at which a new level begins,
/// whatever its size.
Events find_events(std::span<const double> logs, std::size_t season,
                   std::span<const std::size_t> known = {});

/// The series as it would have been on its last level and with its last growth from the beginning,
/// and without odd stretches. A bend that may be none is taken for what is likelier.
std::vector<double> without_events(std::span<const double> logs, const Events& events);

}  // namespace plimsoll
