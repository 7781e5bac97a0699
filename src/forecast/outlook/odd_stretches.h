// The odd days of a series and its odd stretches (forecast/outlook/events.h says how they are
// told), as many as there are: medians do not move before half of the values do. And the medians by
// which events are found.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

namespace plimsoll {

/// Steps that an odd stretch lasts at most; a level that is no older may be one.
inline constexpr std::size_t kLongestStretch = 14;

// By which odd days and shifts are told from the usual.
inline constexpr std::size_t kAround = 14;  ///< steps
inline constexpr double kLeastOdd = 0.3;    ///< 35 %; a shift of few days, too
inline constexpr double kFar = 5;           ///< deviations

struct Event {
  std::size_t at = 0;  ///< the first step of the new level, or of the odd stretch
  double log_size = 0;
  double times = 0;       ///< the demand before, or the usual one; infinite where that was none
  std::size_t steps = 1;  ///< of an odd stretch, or until a new level is reached
  /// Of an odd stretch: how often its days of the week were seen, if each time they were odd. 0:
  /// they were usual, too, or the series is long enough to find the pattern of a week in it.
  std::size_t weeks = 0;
  bool is_declared = false;  ///< somebody said that a new level begins there
};

/// What is left of the logarithms of a series without its pattern and the shifts known of, in
/// order. No answer where more than a quarter of the steps are odd to the same side: then they are
/// the rule.
std::optional<std::vector<Event>> find_odd(std::span<const double> rest, std::size_t season);

double median_in(std::span<const double> values, std::size_t from, std::size_t to);

/// Standard deviation by the median of absolute deviations, a hundredth at least.
double deviation_of(std::vector<double> values);

/// By how much more so few values may lie apart than the median of their deviations says: none of
/// four weeks, half of it of none.
double few_values_widen(std::size_t values);

/// For each step the median of those up to `reach` steps away.
std::vector<double> running_median(std::span<const double> values, std::size_t reach);

}  // namespace plimsoll
