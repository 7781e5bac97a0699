// The knowledge of people about demand that a history does not tell: a launch with its date, a
// promotion that shall teach no method anything, how many seats are sold. Read from `history:` of a
// forecast.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "spec/spec_file.h"

namespace plimsoll {

/// With `times`, demand is so many times as much; of an event that lies in the past without it, the
/// history tells the size of the new level, or with `until` the days are left out.
struct KnownEvent {
  std::string name;
  double from_s = 0;              ///< seconds since 1970; by the clock of the history if `by_clock`
  std::optional<double> until_s;  ///< none: for good
  std::optional<double> times;    ///< > 0
  double ramp_s = 0;              ///< from `from_s` to all of it
  bool by_clock = false;          ///< no zone was written
};

/// How many seats there are, or will be: on straight lines between moments, level outside them.
struct Seats {
  double time_s = 0;
  double count = 1;  ///< > 0
};

std::vector<KnownEvent> read_known_events(SpecMap events);
/// In order of time.
std::vector<Seats> read_seats(SpecMap seats);

/// A date, or a moment; without a zone in UTC. Seconds since 1970.
std::optional<double> optional_moment(SpecMap* map, const char* key);

}  // namespace plimsoll
