#include "planner/plan_search.h"

#include <utility>

#include "planner/candidate_fate.h"
#include "planner/plan_best.h"
#include "planner/plan_rounds.h"

namespace plimsoll {
namespace {

std::vector<CandidateResult> results_of(const PlanRequest& request) {
  std::vector<CandidateResult> results;
  for (const Candidate& candidate : candidates_of(request)) {
    CandidateResult& result = results.emplace_back();
    result.id = std::ssize(results);
    result.candidate = candidate;
  }
  return results;
}

}  // namespace

Result<void> PlanSearch::search(const Deploy& deploy, const WatchPlan& watch) {
  plan_.candidates = results_of(request_);
  if (auto made = deployments_.make(deploy, &plan_.candidates); !made) return made;
  open_ = open_candidates(request_, deployments_, &plan_.candidates);
  PlanRounds rounds(request_, &open_, &tests_);
  while (execution_.keep_going()) {
    auto asked = rounds.next();
    if (!asked) return pass_on(asked);
    if (!*asked) break;
    plan_.rounds += 1;
    if (watch) watch(rounds.progress());
  }
  conclude(request_, open_);
  return compare_at_one_rate(request_, open_, &tests_, &plan_);
}

Result<Plan> PlanSearch::finish(std::optional<std::size_t> best) {
  if (best) choose(request_, *best, &open_, &plan_);
  if (auto done = measure_best(request_, open_, &tests_, &plan_); !done) return pass_on(done);
  plan_.probes = tests_.count();
  plan_.interrupted = !execution_.keep_going();
  return std::move(plan_);
}

}  // namespace plimsoll
