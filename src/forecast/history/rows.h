// The rows of a history as its file has them, each checked on its own and against the one before
// it of the same route. forecast/history/reader.cc lays them on one grid of time.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/time_zone.h"
#include "forecast/history/history.h"
#include "workload/line_reader.h"

namespace plimsoll {

inline constexpr const char* kHowToFillGaps =
    "add the rows, or let the gaps be filled (gaps: fill)";

struct HistoryRow {
  int line = 0;
  std::int64_t ns = 0;         ///< since 1970, or from any start
  std::vector<double> values;  ///< by series; NaN for an empty cell that is to be filled
};

struct HistoryRoute {
  std::string name;              ///< empty where the file has no routes
  std::vector<HistoryRow> rows;  ///< at least one; times ascend
};

struct HistoryRows {
  std::string file;
  std::vector<std::string> names;  ///< of the series
  std::vector<HistoryRoute> routes;
  bool calendar = false;           ///< times are written as dates, not as seconds
  double zone_s = 0;               ///< of those dates, east of UTC
  bool by_clock = false;           ///< as History has it
  TrafficShape shape;              ///< of the requests, as far as they were counted by length
  std::int64_t instances = 0;      ///< as History has it
  std::vector<std::string> notes;  ///< what a reader of the forecast must know
};

/// `zone`: of times that say none; null where they have to, or where all of them are UTC.
Result<HistoryRows> read_history_rows(LineReader lines, const HistoryOptions& options,
                                      const TimeZone* zone);

/// Rows by the clock of a zone: the hour that it skips in spring lies on a straight line between
/// its neighbours, the one that it repeats in autumn is the mean of both, and a note says so. Steps
/// of more than an hour that are even in UTC stay as they are.
void lay_on_clock(const TimeZone& zone, HistoryRows* rows);

}  // namespace plimsoll
