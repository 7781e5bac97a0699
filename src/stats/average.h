// Mean and median of a few numbers in memory; 0 of none.
#pragma once

#include <span>
#include <utility>
#include <vector>

#include "stats/percentile.h"

namespace plimsoll {

inline double mean_of(std::span<const double> values) {
  double sum = 0;
  for (const double v : values) sum += v;
  return values.empty() ? 0 : sum / static_cast<double>(values.size());
}

inline double median_of(std::vector<double> values) {
  return Percentiles<double>(std::move(values)).at(50);
}

}  // namespace plimsoll
