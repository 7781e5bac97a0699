// Does a series grow, does it fall back, does a rate change? The questions behind the verdict of
// stats/steady_state.h, asked of series of averages over equal parts of a run.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace plimsoll {

/// Averages over `count` equal parts; what does not fill a part is left out at the start. The
/// series has at least `count` values.
std::vector<double> batch_averages(std::span<const double> series, std::size_t count);

/// The straight line through the last two thirds of a series.
struct Growth {
  double per_cell = 0;   ///< slope, by value of the series
  double share = 0;      ///< growth over the stretch in shares of its mean
  bool certain = false;  ///< the slope is positive at the 99 % level
};

/// Least squares on 20 batch averages; correlation between the residuals of neighbours widens the
/// interval of the slope. At least 30 values.
Growth growth_of(std::span<const double> series);

/// A part of a series, as shares of it.
struct Stretch {
  double from = 0;
  double to = 1;
};

/// The stretches that never_came_back() compares.
inline constexpr Stretch kMiddleThird{1.0 / 3, 2.0 / 3};
inline constexpr Stretch kLastQuarter{3.0 / 4, 1};

/// True when the last quarter of the series stays above the mean of its middle third. A backlog
/// that falls back has not been growing.
bool never_came_back(std::span<const double> series);

/// True when the means of the two halves of a series clearly differ: Welch's t over five batch
/// averages each, at the 1 % level. At least ten values.
bool halves_differ(std::span<const double> series);

/// Standard deviation in shares of the mean. At least two values; 0 when the mean is not positive.
double relative_spread(std::span<const double> values);

/// Number of cells that rate_changes() wants.
inline constexpr std::size_t kRateCells = 200;

/// Given the arrivals in 200 equal cells: do the counts of the 20 parts of ten cells each scatter
/// much more than the cells within the parts, which already show how bursty the arrivals are?
bool rate_changes(std::span<const double> arrivals);

}  // namespace plimsoll
