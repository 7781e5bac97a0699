// How many GPUs to reserve, which are paid for all the time, and how many to take on demand, which
// are paid for while they are needed: the count with the least expected bill over the sample paths
// of demand. With a price ratio r it is the count that is enough for a share 1 - r of all time
// (Arrow, Harris and Marschak 1951, the newsvendor).
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "forecast/runway/gpu_plan.h"
#include "stats/batch_means.h"

namespace plimsoll {

struct ReservePlan {
  std::int64_t gpus = 0;
  std::int64_t spare = 0;           ///< of the need at any time, to survive a loss
  double usd_per_month = 0;         ///< of those and of what is on demand beside them, on average
  double saving_usd_per_month = 0;  ///< against all on demand
  Interval saving_band;             ///< 90 % of the paths
};

/// Prices are dollars per GPU-hour. A GPU on demand is paid for a whole step of the history, and
/// none in a step in which nothing comes. None
/// where the plan is not known, or the history is too short for paths. `spare`: GPUs that stand
/// beside those that the load needs all the time, to survive a loss.
std::optional<ReservePlan> plan_reserve(const GpuPlan& plan, std::span<const LoadAhead> loads,
                                        double reserved_usd, double on_demand_usd,
                                        std::int64_t spare = 0);

}  // namespace plimsoll
