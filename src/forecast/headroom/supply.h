// The supply of each resource by a deployment at the actual mix: the load line, where an SLO first
// breaks while one thing grows and the rest stays (planner/capacity.h finds it).
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "forecast/demand/route.h"
#include "forecast/demand/token_load.h"
#include "perf/model_error.h"
#include "planner/capacity.h"
#include "planner/estimate.h"
#include "stats/batch_means.h"

namespace plimsoll {

/// The deployment that answers. Made by the cli from flags of `plimsoll run`. Where several pools
/// do it together, they keep their proportions, and what is counted is the smallest whole number of
/// each: 2 instances for prefill and 4 for decode are two replicas. An instance alone is a replica
/// else.
struct Served {
  ProbedSystem system;  ///< without a load
  std::optional<ModelError> model_error;
  std::int64_t tp = 1;
  std::string gpu;                         ///< of the first pool that answers
  std::vector<std::string> cheaper_gpus;   ///< to consider instead
  std::optional<double> usd_per_gpu_hour;  ///< in the mean over the pools

  bool has_pools() const { return system.deployment.pools.size() > 1; }
  std::int64_t instances_per_replica() const;
  std::int64_t replicas() const;
  std::int64_t gpus() const;
  std::int64_t gpus_per_replica() const { return gpus() / replicas(); }
  /// Tokens that the KV caches of all instances hold.
  double kv_tokens() const;
  /// That one request may have at most: the context window, or all that the cache of an instance
  /// holds.
  double context_tokens() const;
  /// The same with other replicas; one at least.
  Served with_replicas(std::int64_t count) const;
};

/// Serves with the flag lists that are added to those of the request: levers and the deployment
/// itself.
using Serve = std::function<Result<Served>(const std::vector<std::string>& flags)>;

struct Line {
  double factor =
      0;  ///< of the flows as they are, between what holds and what fails; 0: none holds
  Interval interval;  ///< from what holds to what fails, widened by the error of the step times
  std::optional<LoadProbe> at_line;  ///< the test of the most that holds
  std::optional<LoadProbe> beyond;   ///< the test that is seen to fail just beyond
  bool is_searched = false;
  bool is_known = false;     ///< else no test could tell its demand from the limits
  bool interrupted = false;  ///< the search was not ended
  double of_guess = 1;       ///< what was found, as a share of what arithmetic guessed

  /// The line of the same flows, so many times.
  Line of_multiple(double times) const;
};

struct LineEffort {
  double precision = 0.02;  ///< good and bad are no further apart
  double of_guess = 1;      ///< begin at this share of the guess
  double alpha = 0.05;      ///< probability that a test is wrong
};

/// How long tests of a load have to be.
struct LoadLength {
  CapacityEstimate estimate;  ///< of a load like it, of one replica
  double filling = 0;         ///< requests until all of its sessions are under way
};

/// Where a load of any kind breaks a limit. The line's factor is the argument of the load over
/// `unit`.
Result<Line> search_line(const Served& served, const LoadMaker& load, RateSearchOptions search,
                         double unit, const LoadLength& length, const LineEffort& line_effort,
                         const Execution& execution);

/// Estimates by arithmetic what one replica takes of the load with the argument 1.
Result<CapacityEstimate> estimate_of(const Served& served, const LoadMaker& load);

/// An error if the flows cannot be served at all.
Result<Line> find_line(const Served& served, const std::vector<Flow>& flows, LoadGrowth growth,
                       const TokenLoadOptions& options, const Execution& execution,
                       const LineEffort& line_effort = {});

/// The line of the flows, which is known, with steps as short and as long as the model's error
/// allows and limits as much looser and stricter, as `plimsoll capacity` varies it
/// (planner/rate_search.h): factors of `line`; 0 where nothing was found to hold. None without an
/// error, or where nothing is held anyway.
Result<std::optional<Interval>> model_range(const Served& served, const std::vector<Flow>& flows,
                                            const TokenLoadOptions& options, const Line& line,
                                            const Execution& execution);

/// Are the flows held as they are?
Result<LoadProbe> test_flows(const Served& served, const std::vector<Flow>& flows,
                             const TokenLoadOptions& options, const Execution& execution);

/// The fewest replicas that hold the flows as they are, searched as `plimsoll capacity` does; 0:
/// no number of them does, or the search was interrupted.
Result<std::int64_t> fewest_for(const Served& served, const std::vector<Flow>& flows,
                                const TokenLoadOptions& options, std::int64_t guess,
                                const Execution& execution);
/// The same with steps as long, and limits as strict, as the model's error allows, which is there.
Result<std::int64_t> fewest_at_slow_end(Served served, const std::vector<Flow>& flows,
                                        const TokenLoadOptions& options, std::int64_t guess,
                                        const Execution& execution);

}  // namespace plimsoll
