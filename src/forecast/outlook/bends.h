// Where growth changed for good: it stopped, began, or became slower or faster. A line with a bend
// is fitted to logarithms for each moment at which it may lie (Bai and Perron 1998, for one break
// at a time), and the best is a bend if its change of slope is far larger than its standard error
// and no step of the level (forecast/outlook/events.h) explains more.
// Noise that lasts from step to step makes that error larger, so that what wanders has no bends.
//
// Between clearly a bend and clearly none, it is one with a chance; for a few weeks nobody can
// tell.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace plimsoll {

/// Values that are searched for bends and ramps: what was longer ago shapes no forecast.
inline constexpr std::size_t kMostSearched = 364;

/// What growth since a bend is, by what either line leaves from the step near it that fits best,
/// with a line of the logarithms before: one of the values slows on logarithms, so that theirs bend
/// somewhere else.
struct GrowthSince {
  double compound = 1;        ///< chance that it is a straight line of the logarithms
  std::size_t line_from = 0;  ///< where it begins if it is one of the values
};

struct Bend {
  std::size_t at = 0;  ///< the step at which the growth changes
  double before = 0;   ///< growth of the logarithm per step
  double after = 0;
  double error = 0;      ///< standard error of the growth since
  double chance = 1;     ///< that it is one
  GrowthSince since{};   ///< of the last one that is certain
  bool to_line = false;  ///< since then, values rise along a straight line
};

/// How much noise that lasts from step to step widens the variance of a mean: (1 + r) / (1 - r),
/// of which the estimate of r is corrected for its bias (Kendall 1954).
double lasting_of(std::span<const double> residuals);

/// The squares that the best of these leaves: a straight line of the values, and a line of the
/// logarithms with a bend. At least 28 values.
double squares_of_lines(std::span<const double> y);

/// True of logarithms whose values rise along one straight line, to four times as much at least,
/// but for what moves them from step to step: what began small is steep on logarithms, and nothing
/// happened. Not of fewer than seven values.
bool is_straight(std::span<const double> logs);

/// The standard deviation of what moves values from step to step: how far they lie off the middle
/// of their neighbours, whatever pattern or growth they follow. 0 of fewer than three.
double roughness_of(std::span<const double> values);

/// In logarithms without a weekly pattern, shifts and odd days. In order; the chance of at most one
/// is less than 0.98. Empty where there are so many that they are the rule, or fewer than eight
/// weeks of days.
std::vector<Bend> find_bends(std::span<const double> rest);

/// As it would have been, had the growth since the bend been there from the beginning.
void straighten(const Bend& bend, std::vector<double>* logs);

/// The chance that growth is compound, a straight line of the logarithms, and not a straight line
/// of the values: by the squares that either leaves, one as likely as the other before. 0.5 of
/// fewer than eight values.
double chance_of_compound(std::span<const double> logs, std::size_t season);

/// A straight line through all values, by least squares.
struct LineGrowth {
  double per_step = 0;
  double error = 0;  ///< standard error, as far as noise lasts from step to step
};

/// Of the values without the pattern of a season, 1 = none. None (no error either) of fewer than
/// three values.
LineGrowth line_growth_of(std::span<const double> logs, std::size_t season = 1);

}  // namespace plimsoll
