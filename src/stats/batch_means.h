// Confidence intervals from one correlated series: non-overlapping batches, Student's t
// (Law, Simulation Modeling and Analysis, 9.5). An interval is left out where the series is too
// short for it; it is never guessed.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "stats/percentile.h"

namespace plimsoll {

struct Interval {
  double low = 0;
  double high = 0;
};

/// Fewest and most batches an interval rests on.
inline constexpr std::size_t kFewestBatches = 20;
inline constexpr std::size_t kMostBatches = 40;

/// Lag-1 autocorrelation in von Neumann's form: its mean is 0 for independent values, also for few
/// of them. 0 when the series is constant.
double neighbour_correlation(std::span<const double> values);

/// True when von Neumann's test at the 1 % level finds the values positively correlated.
bool clearly_correlated(std::span<const double> values);

/// Two-sided interval at `level` (such as 0.90) for the mean of a stationary series. Starts with 40
/// batches and halves their number while neighbours correlate above 0.1; what correlation is left
/// at 20 widens the interval as in Skart (Tafazzoli and Wilson 2011). None when there are fewer
/// than two observations per batch or the 20 batches are still clearly correlated.
std::optional<Interval> mean_interval(std::span<const double> series, double level);

/// The same for the ratio of two means, sum(numerators) / sum(denominators), by the delta method
/// on pairs of batches. The series have equal lengths.
std::optional<Interval> ratio_interval(std::span<const double> numerators,
                                       std::span<const double> denominators, double level);

/// The same for each of some percentiles. The batches say how well the share of observations below
/// it is known; the interval lies between the percentiles at the ends of that share (Woodruff
/// 1952), which covers far better in queues than the scatter of batch percentiles. None when a
/// batch holds fewer than 10 / (1 - p / 100) observations. `of_series` holds the same values.
std::vector<std::optional<Interval>> percentile_intervals(std::span<const double> series,
                                                          Percentiles<double>& of_series,
                                                          std::span<const double> percentiles,
                                                          double level);
std::optional<Interval> percentile_interval(std::span<const double> series,
                                            Percentiles<double>& of_series, double p, double level);

}  // namespace plimsoll
