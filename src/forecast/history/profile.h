// What a history looks like: how much, how uneven, and at which times.
#pragma once

#include <optional>
#include <vector>

#include "forecast/history/history.h"

namespace plimsoll {

struct DemandProfile {
  double mean = 0;
  double p50 = 0;
  double p95 = 0;
  double cv = 0;  ///< standard deviation over mean of the steps
  /// Variance over mean of the requests per step: 1 for Poisson arrivals, more for bursts, trends
  /// and patterns (Cox and Lewis 1966). Of requests by steps of an hour at most.
  std::optional<double> dispersion;
  /// Hours of the day in UTC, days of the week from Monday: mean there over the mean. Empty where
  /// there are no dates, no steps that short, or not two whole days or weeks.
  std::vector<double> by_hour;
  std::vector<double> by_weekday;

  std::optional<int> peak_hour() const;  ///< 0 to 23
};

DemandProfile profile_of(const History& history, const HistorySeries& series);

}  // namespace plimsoll
