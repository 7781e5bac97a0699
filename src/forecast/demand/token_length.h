// How long prompts or answers are: lognormal, said by their mean and by how widely they vary.
#pragma once

#include "workload/length_distribution.h"

namespace plimsoll {

struct TokenLength {
  double mean = 1;  ///< shorter ones are 1
  double cv = 0;    ///< coefficient of variation: standard deviation / mean

  double p95() const;
  double variance() const { return mean * mean * cv * cv; }
  /// Of the square: what a variance of sums over requests is made of.
  double second_moment() const { return mean * mean * (1 + cv * cv); }
  LengthDistribution drawn() const;
};

/// Half of them have p50 tokens at most, and 95 % have p95; p50 > 0.
TokenLength length_by_percentiles(double p50, double p95);

}  // namespace plimsoll
