// Times as people write them: 500ms, 1m30s, 0.25s.
#pragma once

#include <string>
#include <string_view>

#include "base/units.h"

namespace plimsoll {

inline constexpr std::string_view kDurationForm = "a time with its unit (us, ms, s, m, h)";

/// Decimal numbers, each with its unit (ns, us, ms, s, m, h), added up; without sign or spaces. A
/// number alone is refused, and so is what rounds to nothing but 0 or exceeds a year.
bool parse_duration(std::string_view text, Duration* value);

/// "500ms", "90s", "5m": in the largest unit that it is a whole number of.
std::string duration_text(Duration span);

}  // namespace plimsoll
