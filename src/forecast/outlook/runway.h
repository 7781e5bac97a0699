// When demand reaches what there is. All answers are shares of the sample paths of an outlook, each
// of which meets a line of its own where the line is known by an interval only; where the history
// is too short for paths there is no date, and none is made up.
//
// The caller chooses the series so that reaching the line matters: for daily planning the daily p95
// of a resource (peaks_of in forecast/history/history.h), not its mean.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "forecast/outlook/outlook.h"
#include "stats/batch_means.h"

namespace plimsoll {

struct Runway {
  bool known = false;  ///< false: the history is too short, and all else is empty
  double start_s = 0;  ///< the present, as in the outlook
  double step_s = 1;
  /// The chance to have been above the line by the end of each step; never falls.
  std::vector<double> chance;

  /// Of crossing within the horizon; 0 if not known.
  double probability() const { return chance.empty() ? 0 : chance.back(); }
  /// The beginning of the step by which the line has been crossed with probability p in (0, 1];
  /// none when that lies beyond the horizon. p10 is the early date, p90 the late one.
  std::optional<double> time_at(double p) const;
  /// The chance to have crossed before a time; 0 before the present. After the horizon: at its end.
  double chance_before(double time_s) const;
};

/// First passage above the line. `known_within`: its 90 % band; between paths the line then differs
/// as a log-normal variable with this median and such a band does, evenly drawn. The chance to
/// cross is so above one half about where the median peak is above the line, and exactly there
/// without a band.
Runway crossing(const Outlook& outlook, double line,
                const std::optional<Interval>& known_within = std::nullopt);

/// GPUs for the quantiles of a load, in whole instances of `gpus_each`, each of which carries
/// `by_instance` of it (in the unit of the series, > 0).
std::array<std::int64_t, kBandPercents.size()> needed(const BandQuantiles& load, double by_instance,
                                                      std::int64_t gpus_each);

/// When to order so that what was ordered carries load before the line is crossed, but for a chance
/// of at most `risk`, seen from a moment that is the present of the outlook or a later one.
struct Order {
  /// The latest moment; before the one it is seen from if it has passed. None: within the horizon
  /// the chance stays within the risk, or nothing is known.
  std::optional<double> by_s;
  bool late = false;         ///< that moment has passed
  double chance_if_now = 0;  ///< of being short before an order of now carries load
};

/// `lead_time_s` from the order to the delivery, `cold_start_s` from there to carrying load; both
/// >= 0. `risk` in [0, 1).
Order order_by(const Runway& runway, double now_s, double lead_time_s, double cold_start_s,
               double risk);

}  // namespace plimsoll
