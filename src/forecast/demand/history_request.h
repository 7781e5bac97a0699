// The history of a forecast's request: which file, how it is read, how far ahead to look, and what
// people know of demand that no file shows.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "spec/spec_file.h"
#include "workload/trace_formats.h"

namespace plimsoll {

// The knowledge of people about demand that a history does not tell, from `history:` of a forecast:
// a launch with its date, a promotion that shall teach no method anything, how many seats are sold.

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

struct HistoryRequest {
  std::string path;                   ///< empty: no history
  std::optional<TraceFormat> format;  ///< of a trace, counted by windows of step_s; none: a series
  double step_s = 60;
  std::string zone;               ///< of times without one, as HistoryOptions have it
  std::optional<double> as_of_s;  ///< from when on orders can be placed; none: the history's end
  double horizon_days = 28;
  double lead_time_days = 0;  ///< from an order to GPUs that stand there
  double cold_start_s = 300;  ///< from GPUs to an instance that answers
  bool fill_gaps = false;
  std::vector<std::pair<std::string, std::string>> columns;  ///< as HistoryOptions has them
  std::string route_label;
  std::vector<KnownEvent> events;
  std::vector<Seats> seats;  ///< empty: not known
};

/// A date, or a moment; without a zone in UTC. Seconds since 1970; none where the key is absent.
std::optional<double> optional_moment(SpecMap* map, const char* key);

/// Errors are noted in the map. `file`: the request that it stands in, whose folder paths are
/// relative to.
HistoryRequest read_history_request(SpecMap map, const std::string& file);

}  // namespace plimsoll
