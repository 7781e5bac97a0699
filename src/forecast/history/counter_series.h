// The samples of a counter as counts per step of a history, and what a reader must know of them.
// What came between two samples is spread over the steps between them: evenly, or over more than
// two hours as it came at the same times a week before and after, because the busiest time of a day
// may have been there.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace plimsoll {

/// Samples this near to the border of a step, as a share of the step, count as on it.
inline constexpr double kOnBorder = 0.02;

struct CounterSample {
  double time_s = 0;
  double value = 0;
};

struct CounterSeries {
  std::string metric;
  std::string target;    ///< all labels but those that tell servers of Prometheus apart
  std::string instance;  ///< the labels that all counters of the instance have
  std::string column;
  double upper_bound = 0;  ///< of a bucket of a histogram
  std::string route;
  std::vector<CounterSample> samples;  ///< times ascend; no NaN
};

/// What a reader of the counts must know, by the steps of the history: of all series together.
struct CounterBreaks {
  std::set<std::size_t> restarts;
  std::int64_t repeated = 0;                ///< series that another server of Prometheus has, too
  std::int64_t late = 0;                    ///< instances that begin after others
  double late_s = 0;                        ///< the last of them
  std::map<std::size_t, std::size_t> gaps;  ///< steps without a sample, by the one before
  bool any_even = false;                    ///< of the gaps, one is spread evenly
  bool any_as_weeks = false;                ///< or as the weeks before and after

  std::vector<std::string> notes(double first_s, double step_s) const;
};

/// The step, in seconds, for samples at that distance: whole days, or the nearest whole second that
/// divides a day if one is within 5 %, else the nearest part of a day; below a second the distance
/// itself. It may exceed what two samples span. Clocks of scrapers are late by part of a second.
double whole_step_s(double distance_s);
/// Whole steps within `seconds`; of the last one up to 2 % may be missing.
std::size_t whole_steps(double seconds, double step_s);

/// Adds the counts of the series. Steps begin at `first_s`.
void add_counts(const CounterSeries& series, double first_s, double step_s,
                std::vector<double>* counts, CounterBreaks* breaks);

}  // namespace plimsoll
