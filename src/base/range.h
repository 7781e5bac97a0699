// Which numbers are allowed.
#pragma once

#include <cstdint>
#include <limits>

namespace plimsoll {

struct IntRange {
  std::int64_t min = std::numeric_limits<std::int64_t>::min();
  std::int64_t max = std::numeric_limits<std::int64_t>::max();
};

struct NumberRange {
  double min = std::numeric_limits<double>::lowest();
  double max = std::numeric_limits<double>::max();
  bool above_min = false;  ///< `min` itself is excluded
};

inline constexpr NumberRange kPositive{0, std::numeric_limits<double>::max(), true};
inline constexpr NumberRange kNonNegative{0};
/// Requests, tokens; far more than any deployment has.
inline constexpr NumberRange kAnyCount{0, 1e9};
inline constexpr NumberRange kOneOrMore{1, 1e9};
/// A share that is not nothing.
inline constexpr NumberRange kSomeShare{0, 1, true};

}  // namespace plimsoll
