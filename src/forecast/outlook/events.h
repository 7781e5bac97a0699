// The events that happened once in the past of a series and must not be taken for how it moves:
// levels that shifted from one day to the next (a launch, a customer who left) or over some weeks
//, odd days, and odd stretches of up to two weeks (a promotion, a
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

// The events of a history that is shorter than three weeks, in which no pattern of a week can be
// found: whether an odd day is one of every week, and what happened to the days of a history of
// hours. Called by forecast/outlook/past.cc.

/// Sets `weeks` of the odd days of a history of so many steps.
void find_weeks_of_odd_days(std::size_t values, Events* events);

/// The events of the means of whole days, of `day` steps each, in steps. None of fewer than six
/// days or three weeks and more. `known`: steps at which a new level begins.
Events events_of_days(std::span<const double> logs, std::size_t day,
                      std::span<const std::size_t> known);

// A change of level that took days or weeks and has ended: a launch in stages, a region that was
// drained. A slope, and beside it a way from one level to another that is a straight line of the
// values, are fitted to logarithms for each moment at which that way may begin and each length of
// it (as Bai and Perron 1998 do for breaks). The best is a ramp if it leaves far fewer squares than
// a straight line of the logarithms or of the values and than a line with a bend
// (forecast/outlook/bends.h), and if what leaves least took days, not one (which is a step), and
// no more than five weeks: what takes longer is growth, and may go on, as a curve that saturates
// does until it has. Called where shifts are found (forecast/outlook/events.h).

struct Ramp {
  std::size_t at = 0;     ///< the first step that is off the old level
  std::size_t steps = 1;  ///< up to the first one on the new level, which is the last of them
  double log_size = 0;
};

/// How much of the logarithm's change is reached at a step: 0 before the ramp, `log_size` after it.
double reached(const Ramp& ramp, std::size_t step);

/// In logarithms without a weekly pattern and odd days; none that ended less than two weeks ago.
std::optional<Ramp> find_ramp(std::span<const double> rest);

}  // namespace plimsoll
