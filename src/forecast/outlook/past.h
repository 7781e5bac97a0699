// The past of a series as methods continue it: on a logarithmic scale, on its present level,
// without odd days, and without the season of the year where it has one.
//
// A season of the year has been seen two or three times at most, and it has edges (a sale, a term,
// a holiday), so it is no smooth curve: each day is taken relative to the fortnight around the day
// 52 weeks before, and what is forecast is the ratio of the two. It is used if the changes over
// four weeks are then clearly smaller than they are without it.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include "forecast/outlook/events.h"

namespace plimsoll {

/// What people know of a series besides its values, by its steps.
struct KnownDemand {
  /// From its first value to the last step ahead, the logarithm of what it is in proportion to:
  /// only the rest is continued. Empty: nothing.
  std::vector<double> log_factor;
  std::vector<std::pair<std::size_t, std::size_t>> left_out;  ///< from, to: as if they were usual
  std::vector<std::size_t> shifts;                            ///< where a new level begins
};

struct Past {
  std::vector<double> logs;    ///< up to the last value; the first year is left out with `yearly`
  std::size_t season = 1;      ///< steps; 1 = none
  Events events;               ///< by the steps of the whole series
  std::vector<double> yearly;  ///< to be added to each step ahead; empty without such a season
  /// The same as it would have been without events and with all that is known of the last step.
  std::vector<double> usual;
};

/// Of the logarithms of a series with steps of `step_s`, to be continued for `horizon` steps.
/// Events and the season of the year are looked for in steps of a day or longer only.
Past past_of(std::vector<double> logs, std::size_t horizon, double step_s,
             const KnownDemand& known = {});

}  // namespace plimsoll
