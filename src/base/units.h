// Simulated time. Every moment and every span inside the simulator is an integer count of
// nanoseconds, so that results do not depend on the order of additions.
#pragma once

#include <cmath>
#include <compare>
#include <cstdint>
#include <limits>

namespace plimsoll {

/// A span of simulated time.
struct Duration {
  std::int64_t ns = 0;

  friend constexpr auto operator<=>(Duration, Duration) = default;
  friend constexpr Duration operator+(Duration a, Duration b) { return {a.ns + b.ns}; }
  friend constexpr Duration operator-(Duration a, Duration b) { return {a.ns - b.ns}; }
  friend constexpr Duration operator*(Duration a, std::int64_t n) { return {a.ns * n}; }
  constexpr Duration& operator+=(Duration b) { return ns += b.ns, *this; }
  constexpr Duration& operator-=(Duration b) { return ns -= b.ns, *this; }
};

/// A point on the simulated clock, counted from the start of the run.
struct Time {
  static constexpr std::int64_t kEnd = std::numeric_limits<std::int64_t>::max();
  std::int64_t ns = 0;

  friend constexpr auto operator<=>(Time, Time) = default;
  /// Stays at the end of the clock once it is reached.
  friend constexpr Time operator+(Time t, Duration d) {
    std::int64_t sum = 0;
    return {__builtin_add_overflow(t.ns, d.ns, &sum) ? kEnd : sum};
  }
  friend constexpr Time operator-(Time t, Duration d) { return {t.ns - d.ns}; }
  friend constexpr Duration operator-(Time a, Time b) { return {a.ns - b.ns}; }
};

/// Later than every event: no deadline, no horizon, nothing scheduled.
inline constexpr Time kNever{Time::kEnd};
/// "Not measured": a request that never had a first token has this TTFT.
inline constexpr Duration kNoDuration{-1};

constexpr Duration nanoseconds(std::int64_t n) { return {n}; }
constexpr Duration microseconds(std::int64_t n) { return {n * 1'000}; }
constexpr Duration milliseconds(std::int64_t n) { return {n * 1'000'000}; }
constexpr Duration seconds(std::int64_t n) { return {n * 1'000'000'000}; }

constexpr double to_us(Duration d) { return static_cast<double>(d.ns) / 1e3; }
constexpr double to_ms(Duration d) { return static_cast<double>(d.ns) / 1e6; }
constexpr double to_seconds(Duration d) { return static_cast<double>(d.ns) / 1e9; }
constexpr double to_seconds(Time t) { return static_cast<double>(t.ns) / 1e9; }

/// The one place where floating point becomes time: microseconds truncated toward zero to whole
/// ones. NaN and anything longer than a month give a month, which leaves room for sums.
constexpr std::int64_t whole_us(double us) {
  constexpr std::int64_t kLongest = std::int64_t{31} * 24 * 3600 * 1'000'000;
  return us < static_cast<double>(kLongest) ? static_cast<std::int64_t>(us) : kLongest;
}
constexpr Duration duration_from_us(double us) { return microseconds(whole_us(us)); }

// Spans of time as files give them, in seconds: the reader checks the range (kSpanS and its like in
// spec/spec_file.h), and span_of_seconds() is the one conversion.

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
