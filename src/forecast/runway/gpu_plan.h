// GPUs for the demand of a history, at each step ahead and at its highest. What the highest demand
// needs is simulated, as `plimsoll capacity` would find it: instances do not carry in proportion,
// because many share bursts better than few. Nor are they known equally well: where steps may take
// longer, many have more to spare than few. So the model's error is that of about as many as are
// needed, and what is needed in all does not depend on what is deployed.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "base/result.h"
#include "forecast/demand/forecast_request.h"
#include "forecast/headroom/headroom.h"
#include "forecast/headroom/supply.h"
#include "forecast/outlook/outlook.h"
#include "stats/batch_means.h"

namespace plimsoll {

/// Quantiles by the percents of kBandPercents; all of whole instances.
using GpuQuantiles = std::array<std::int64_t, kBandPercents.size()>;

struct GpuNeed {
  double time_s = 0;
  GpuQuantiles gpus{};
};

struct GpuPlan {
  /// Between what the instances deployed carry and what the highest demand needs, both simulated,
  /// instances are in proportion to the load. Empty where it is not known what they carry.
  std::vector<GpuNeed> steps;
  GpuQuantiles most{};  ///< within the horizon
  /// The load there, in units of what the instances deployed carry; as what instances carry is
  /// known by an interval only, each path meets its own.
  BandQuantiles peak{};
  /// That interval for about as many instances as are needed, as factors of what they are simulated
  /// to carry; none without an error of the model.
  std::optional<Interval> known_share;
  std::int64_t add_gpus = 0;  ///< so that the highest demand is carried but for kAcceptedRisk
  Order order;                ///< of those; set by settle_orders() (forecast/runway/sheet.h)
  std::optional<double> add_usd_per_month;
  Runway runway;        ///< of more load than those deployed carry; likewise
  double deployed = 0;  ///< instances
  std::int64_t gpus_per_replica = 1;

  /// False where no number of instances is enough at the slow end of the model's error.
  bool covers_error() const { return !known_share || known_share->low > 0; }

  /// That hold a load in units of what the instances deployed carry, as `steps` has them.
  std::int64_t gpus_for(double load) const;
};

/// A resource ahead that more instances carry more of.
struct LoadAhead {
  const Outlook* outlook = nullptr;
  double line = 0;                            ///< of all instances deployed, > 0
  std::optional<Interval> known_within = {};  ///< the line
  bool is_limited = false;                    ///< more instances do not raise the row's own line
  double now_of_line = 1;  ///< the line of today's mix, from which it moves, as a factor of it

  double line_at(std::size_t step) const {
    return line * on_the_way(now_of_line, 1, step, outlook->horizon());
  }
};

/// By path and step, in units of what the instances deployed carry: the load that asks for the
/// most. Of at least one load. `known_share`: instead of how well each load knows its line.
std::vector<std::vector<double>> used_by_path(std::span<const LoadAhead> loads,
                                              const std::optional<Interval>& known_share = {});

/// The fewest instances that hold `times` what those deployed carry; 0: no number of them does.
using FewestFor = std::function<Result<std::int64_t>(double times, std::int64_t guess)>;

/// What the fewest instances that hold `times` at the slow end of the model's error carry with that
/// error, as factors of what they are simulated to; from 0 where no number does, and then of the
/// fewest that hold it as simulated. None without an error.
using KnownShare = std::function<Result<std::optional<Interval>>(double times)>;

/// Plans the GPUs for loads of the same history.
Result<GpuPlan> plan_gpus(std::span<const LoadAhead> loads, const Served& served,
                          const FewestFor& fewest, const KnownShare& known_share);

/// Finds the fewest by load tests of the forecast's flows; where the sheet has counted GPUs at the
/// slow end of the model's error, there.
FewestFor fewest_by_tests(const ForecastRequest& request, const HeadroomSheet& headroom,
                          const Served& served, const Execution& execution);

/// Finds the share by load tests of the forecast's flows.
KnownShare share_by_tests(const ForecastRequest& request, const HeadroomSheet& headroom,
                          const Served& served, const Execution& execution);

// How many GPUs to reserve, which are paid for all the time, and how many to take on demand, which
// are paid for while they are needed: the count with the least expected bill over the sample paths
// of demand. With a price ratio r it is the count that is enough for a share 1 - r of all time
// (Arrow, Harris and Marschak 1951, the newsvendor).

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
