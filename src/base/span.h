// Spans of time as files give them, in seconds, and how they become nanoseconds: the reader checks
// the range (kSpanS and its like in spec/spec_file.h), and this is the one conversion.
#pragma once

#include <cmath>

#include "base/units.h"

namespace plimsoll {

/// 126 years: two of them still fit the clock of 292 years.
inline constexpr double kLongestSpanS = 4e9;
/// The longest wait of one request: patience, and limits of latencies (duration_from_us ends there,
/// too).
inline constexpr double kLongestWaitS = 31 * 86'400;

/// To the nearest microsecond; what exceeds kLongestSpanS is cut to it, and below 0 is nothing.
inline Duration span_of_seconds(double s) {
  return microseconds(std::llround(1e6 * std::fmin(std::fmax(s, 0), kLongestSpanS)));
}

}  // namespace plimsoll
