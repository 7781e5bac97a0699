// The search behind a plan, in two steps: what holds, then which of it is the best, and what that
// one is worth. make_plan() takes one after the other; models that share a fleet are all searched
// before it is chosen for them together (planner/shared_fleet.h).
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "planner/candidate_opening.h"
#include "planner/plan.h"
#include "planner/plan_choice.h"
#include "planner/plan_rounds.h"
#include "planner/plan_tests.h"

namespace plimsoll {

class PlanSearch {
 public:
  /// `journal` may be null. All have to outlive the search.
  PlanSearch(const PlanRequest& request, const Execution& execution, Journal* journal)
      : request_(request), execution_(execution), tests_(request, execution, journal) {}
  PlanSearch(const PlanSearch&) = delete;
  PlanSearch& operator=(const PlanSearch&) = delete;

  /// An error if no candidate can be deployed at all.
  Result<void> search(const Deploy& deploy, const WatchPlan& watch);

  /// Tests a shard alone, for the journal: a search that is told of the tests of all shards ends as
  /// one that was told of none. What only all candidates together decide is left to that one.
  Result<void> test_shard(const Deploy& deploy, const Shard& shard);

  /// So far.
  const Plan& plan() const { return plan_; }
  /// The best by the request's objective; none: nothing holds.
  std::optional<std::size_t> best() const { return best_of(request_, open_); }

  /// The same, of those that cost as much one that has headroom.
  Result<std::optional<std::size_t>> best_with_headroom() {
    return plimsoll::best_with_headroom(request_, open_, &tests_);
  }

  /// Ends the search with that best.
  Result<Plan> finish(std::optional<std::size_t> best);

 private:
  Result<void> open(const Deploy& deploy, const Shard& shard);
  Result<void> run_rounds(const PlanRequest& request, std::vector<OpenCandidate>* open,
                          const WatchPlan& watch);
  Result<std::vector<CandidateResult>> candidates_beyond(const PlanRequest& beyond,
                                                         const Deploy& deploy);
  Result<void> search_beyond_limits(const Deploy& deploy, const WatchPlan& watch);

  const PlanRequest& request_;
  const Execution& execution_;
  PlanTests tests_;
  IdleVerdicts idle_{&tests_};
  Plan plan_;
  Deployments deployments_;
  std::vector<OpenCandidate> open_;  // points into the two before
};

// The fate of each candidate once the rounds of a plan are over, with the reason.

/// Fills in figures, fates and reasons of the results, but for those that are ranked afterwards.
void conclude(const PlanRequest& request, const std::vector<OpenCandidate>& open);

/// Was shown to serve as much as is asked for, whatever became of it.
bool is_shown(const PlanRequest& request, const CandidateResult& result);

}  // namespace plimsoll
