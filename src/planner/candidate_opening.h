// Which candidates of a plan are worth a test at all: those that can be deployed, keep the limits
// on GPUs and money, and serve enough by a bound that is certain. The others keep the reason.
#pragma once

#include <cstddef>
#include <vector>

#include "planner/open_candidate.h"

namespace plimsoll {

/// The candidates of a space as they can be simulated; those that differ in the number of replicas
/// alone share one.
class Deployments {
 public:
  /// Fills in what the results have from it, or why it cannot be. An error if that is so of all.
  Result<void> make(const Deploy& deploy, std::vector<CandidateResult>* results);

  /// Null where it cannot be deployed.
  const Deployed* of(std::size_t candidate) const;

 private:
  std::vector<Result<Deployed>> deployed_;
  std::vector<std::size_t> number_of_;  // by candidate
};

/// They point into both arguments.
std::vector<OpenCandidate> open_candidates(const PlanRequest& request,
                                           const Deployments& deployments,
                                           std::vector<CandidateResult>* results);

}  // namespace plimsoll
