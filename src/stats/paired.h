// Independent runs of a system (replications), and two systems that were given the same random
// numbers run by run (Law, Simulation Modeling and Analysis: 9.4.1 replications, 10.2.1 the
// paired-t interval, 11.2 common random numbers). What differs between runs and hits both systems
// alike cancels in the differences.
#pragma once

#include <cstddef>
#include <optional>
#include <span>

#include "stats/batch_means.h"

namespace plimsoll {

struct ReplicatedMean {
  double mean = 0;
  std::optional<Interval> interval;  ///< none for fewer than two values
};

/// Student's t over the values of independent runs; at least one value.
ReplicatedMean replicated_mean(std::span<const double> values, double level);

struct PairedDifference {
  double mean = 0;                   ///< of a[i] - b[i]
  std::optional<Interval> interval;  ///< none for fewer than two pairs
  bool equal = false;                ///< a[i] and b[i] are the same in every pair
  /// Chance of a mean as far from 0 if the systems were alike; 1 without an interval.
  double p_value = 1;

  /// The interval leaves out 0.
  bool is_real() const { return interval && (interval->low > 0 || interval->high < 0); }
};

/// `a` and `b` have equal lengths, at least one pair.
PairedDifference paired_difference(std::span<const double> a, std::span<const double> b,
                                   double level);

/// The level for each of so many intervals that makes all of them hold together with at least
/// `level` (Bonferroni's inequality).
double level_of_each(double level, std::size_t intervals);

}  // namespace plimsoll
