// The past of a series as methods continue it: on a logarithmic scale, on its present level,
// without odd days, and without the season of the year where it has one.
//
// A season of the year has been seen two or three times at most, and it has edges (a sale, a month,
// a holiday), so it is no smooth curve: each day is taken relative to the usual fortnight around
// the same date of the year before, or on the side of it where an edge is near (as in Kuwahara,
// Hachimura, Eiho and Kinoshita 1976), and what is forecast is the ratio of the two. It is used if
// the changes over four weeks are then clearly smaller than they are without it.
#pragma once

#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

#include "forecast/outlook/events.h"

namespace plimsoll {

/// Two days in a row of each week.
struct DaysOff {
  std::size_t first = 0;  ///< day from the first one of the history, below 7
  double log_size = 0;    ///< how far they lie off the others
};

/// The knowledge of people about a series besides its values, by its steps.
struct KnownDemand {
  /// From its first value to the last step ahead, the logarithm of what it is in proportion to:
  /// only the rest is continued. Empty: nothing.
  std::vector<double> log_factor;
  std::vector<std::pair<std::size_t, std::size_t>> left_out;  ///< from, to: as if they were usual
  std::vector<std::size_t> shifts;                            ///< where a new level begins

  /// Adds to what is in proportion the week of a series that is too short for a season
  /// (forecast/outlook/season.h): how far its days off lie from the others. None: nothing is added.
  std::optional<DaysOff> add_short_week(const std::vector<double>& logs, std::size_t horizon,
                                        double step_s, std::optional<std::size_t> saturday);
  /// The logarithm of the factor by step ahead, beside that of the last value.
  std::vector<double> ahead_of_now(std::size_t horizon) const;
  /// The same of the series without its first steps.
  KnownDemand since(std::size_t first) const;
  /// The same of its first steps, with so many ahead.
  KnownDemand until(std::size_t end, std::size_t horizon) const;
};

struct Past {
  std::vector<double> logs;  ///< up to the last value; the first year is left out with `yearly`
  /// The same if what is doubtful of how its growth changed is not so; empty: nothing is doubtful.
  std::vector<double> otherwise;
  Events events_otherwise;
  std::size_t season = 1;      ///< steps; 1 = none
  Events events;               ///< by the steps of the whole series
  std::vector<double> yearly;  ///< to be added to each step ahead; empty without such a season
  /// For each step ahead, how far the same dates of the year before lay off the days before them,
  /// where that was seen only once. Empty: nothing of that kind, or nobody knows.
  std::vector<double> once;
  /// That `logs` is what happened, and not `otherwise`.
  double chance() const;
  /// The same as it would have been without events and with all that is known of the last step.
  std::vector<double> usual;
};

/// The past of the logarithms of a series with steps of `step_s`, to be continued for `horizon`
/// steps. `start_s`: when the first begins, seconds since 1970, by which years are those of the
/// calendar. The season of the year is looked for in steps of a day or longer only, events in those
/// and in hours of less than three weeks.
/// `has_events` false: of demand that comes and goes, none can be told from a pause.
Past past_of(std::vector<double> logs, std::size_t horizon, double step_s, double start_s,
             const KnownDemand& known = {}, bool has_events = true);

}  // namespace plimsoll
