// Values that are missing in a series, put in where the file asks for it: on a straight line
// between neighbours. A gap of more than two hours may be where the busiest time of a day was,
// which no line has: it becomes as the weeks before and after were at that time.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace plimsoll {

inline constexpr std::int64_t kShortGapNs = 7'200'000'000'000;  ///< has no busiest time of a day

/// The mean of the same time a week before and after; NaN where either is missing.
double as_weeks_were(const std::vector<double>& came, std::int64_t step_ns, std::size_t i);

struct FilledGaps {
  std::int64_t values = 0;
  std::int64_t as_weeks = 0;  ///< of these, as the weeks before and after were

  void add(const FilledGaps& more);
  std::string how() const;  ///< for people
};

/// NaN between two values that are there; others stay.
FilledGaps fill_gaps(std::int64_t step_ns, std::vector<double>* values);

}  // namespace plimsoll
