// Moments as people and programs write them.
#pragma once

#include <string>

namespace plimsoll {

/// ISO 8601, UTC, of seconds since 1970: "2026-11-22", or "2026-11-22T04:30Z" within a day.
std::string date_text(double seconds_since_1970);

}  // namespace plimsoll
