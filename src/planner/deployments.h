// The candidates of a plan, made into what can be simulated: each deployment once. Which of them
// are worth a test decides planner/candidate_opening.h.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "base/shard.h"
#include "planner/plan.h"

namespace plimsoll {

/// A test lets 5 % of the requests be lost and takes a backlog for one from 3 % of them on
/// (stats/steady_state.h); what arrives is known to 1 %.
inline constexpr double kTolerated = 1.1;

/// The candidates of a space as they can be simulated; those that differ in the number of replicas
/// alone share one.
class Deployments {
 public:
  /// For the results behind those that it was called for before: fills in what those of the shard
  /// have from it, or why it cannot be. An error if that is so of all that there are. Calls
  /// `deploy` on up to so many threads.
  Result<void> make(const Deploy& deploy, const Shard& shard, std::size_t threads,
                    std::vector<CandidateResult>* results);
  /// Leaves out those of other shards.
  void keep(const Shard& shard);

  /// Null where it cannot be deployed, or is of another shard.
  const Deployed* of(std::size_t candidate) const;

 private:
  /// Numbers the deployments of the shard, and returns a candidate of each.
  std::vector<Candidate> number(const Shard& shard, std::vector<CandidateResult>* results);
  void give(std::size_t candidate, CandidateResult* result, std::optional<Error>* errors);

  std::deque<Result<Deployed>> deployed_;  // of() points into it
  std::vector<std::size_t> number_of_;     // by candidate
};

}  // namespace plimsoll
