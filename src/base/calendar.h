// Moments as people and monitoring systems write them: ISO 8601, in the Gregorian calendar.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace plimsoll {

struct WrittenTime {
  std::int64_t local_ns = 0;              ///< since 1970-01-01 00:00 by the clock that was read
  std::optional<std::int64_t> offset_ns;  ///< of that clock from UTC; none = no zone was written
};

/// `2026-11-22T04:00:00.25+01:00`: `T` or a space between date and time; seconds, their fraction
/// (up to nine digits), the time itself and the zone may be absent. Zones are `Z`, `+01:00`,
/// `+0100` or `+01`. Years 1970 to 2200; none for anything else, such as a 30th of February.
std::optional<WrittenTime> parse_written_time(std::string_view text);

/// `2026-11-22T04:00Z`; seconds are shown where they are not zero. Outside the years 1970 to
/// 9999 the number itself.
std::string iso_time(double seconds_since_1970);

}  // namespace plimsoll
