// The clock of a place, with its summer time: `Europe/Berlin` as the time zone database of the
// machine has it (tzdata, /usr/share/zoneinfo). A value that is read once and asked by any thread.
// Format: RFC 8536, with the rule for later years in its footer (POSIX TZ).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace plimsoll {

class TimeZone {
 public:
  /// `UTC` needs no database. A usage error names the nearest zone, or says that there is no
  /// database.
  static Result<TimeZone> named(const std::string& name);

  /// Reads the content of a file; none where it is damaged.
  static Result<TimeZone> parse(std::string_view file);

  /// East of UTC, at a moment in seconds since 1970.
  std::int64_t offset_at(std::int64_t utc_s) const;

  /// The moments at which the clock shows a time (seconds since 1970 by the clock), in order: none
  /// where it is set forward over it, two where it is set back.
  std::vector<std::int64_t> moments_of(std::int64_t local_s) const;

 private:
  /// The day of a year on which clocks change, `week` of a month or a number, and when.
  struct Change {
    int month = 0;  // 0: `day` counts from the beginning of the year, from 0
    int week = 0;   // 5: the last
    int day = 0;    // of the week, from Sunday
    bool leap_day_counts = true;
    std::int64_t at_s = 7200;  // by the clock before

    std::int64_t in(int year) const;
  };
  class Rule;

  std::vector<std::int64_t> changes_;  // moments
  std::vector<std::int64_t> offsets_;  // before the first change, and from each on
  std::int64_t summer_s_ = 0;          // after the last change; with summer time:
  bool has_summer_ = false;
  Change begin_, end_;
};

}  // namespace plimsoll
