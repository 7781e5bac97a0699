// A candidate of a plan as it can be simulated, with what arithmetic says of it.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "catalog/price.h"
#include "perf/model_error.h"
#include "planner/candidate.h"
#include "planner/estimate.h"
#include "planner/load_probe.h"
#include "planner/rate_bound.h"

namespace plimsoll {

/// An instance of those that serve beside the replicas of a mix.
struct DeployedBeside {
  CapacityEstimate estimate;
  RateBound most;         ///< planner/rate_bound.h
  RateBound most_of_own;  ///< the same of a replica
};

/// A candidate as it can be simulated, with one replica.
struct Deployed {
  ProbedSystem system;
  CapacityEstimate estimate;                                  ///< of one replica
  double most_rps = std::numeric_limits<double>::infinity();  ///< planner/rate_bound.h
  std::vector<Price> offers;                                  ///< for its GPU
  std::vector<Price> other_offers;                            ///< for Candidate::other_gpu, if any
  std::optional<DeployedBeside> beside;                       ///< of a mix
  double cold_start_s = 0;                                    ///< until a new replica serves
  std::optional<ModelError> model_error;
  std::int64_t max_num_seqs = 0;   ///< of each data-parallel rank
  std::vector<std::string> flags;  ///< of `plimsoll run` that deploy it, without rate and replicas

  /// Sets what arithmetic says of the deployment, of requests of that shape. `gap`: strictest_gap()
  /// of the limits.
  void take_arithmetic(const TokenShape& shape, Duration gap);

  /// The estimate of one replica; of a mix with so many replicas that of all its instances.
  CapacityEstimate estimate_of(const Candidate& candidate, std::int64_t replicas) const {
    return beside ? side_by_side(estimate, replicas, beside->estimate, candidate.beside) : estimate;
  }
};

}  // namespace plimsoll
