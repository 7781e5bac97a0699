#include "planner/plan_search.h"

#include <utility>

#include "planner/candidate_fate.h"
#include "planner/plan_best.h"
#include "planner/plan_rounds.h"

namespace plimsoll {
namespace {

// Replicas by arithmetic; a fleet that is larger is not tested only to be advised.
constexpr double kMostBeyondLimits = 64;

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
  if (auto done = run_rounds(request_, &open_, watch); !done) return done;
  conclude(request_, open_);
  if (!best() && execution_.keep_going()) return search_beyond_limits(watch);
  return compare_at_one_rate(request_, open_, &tests_, &plan_);
}

Result<void> PlanSearch::run_rounds(const PlanRequest& request, std::vector<OpenCandidate>* open,
                                    const WatchPlan& watch) {
  PlanRounds rounds(request, open, &tests_, &idle_);
  while (execution_.keep_going()) {
    TRY(asked, rounds.next());
    if (!asked) break;
    plan_.rounds += 1;
    if (watch) watch(rounds.progress());
  }
  return {};
}

// What the limits on GPUs and money kept out, all of it or what they left too few replicas: a
// report may only advise what was seen to hold.
Result<void> PlanSearch::search_beyond_limits(const WatchPlan& watch) {
  if (!request_.max_gpus && !request_.max_usd_per_hour) return {};
  PlanRequest beyond = request_;
  beyond.max_gpus.reset();
  beyond.max_usd_per_hour.reset();
  std::vector<CandidateResult> results = plan_.candidates;
  const bool counts = request_.rate_rps && request_.space.replicas.empty();
  for (CandidateResult& result : results) {
    if (counts) result.candidate.replicas = 0;
    result.at_good.reset();
    result.at_bad.reset();
    result.reason = {};
  }
  std::vector<OpenCandidate> open = open_candidates(beyond, deployments_, &results);
  // Those that were tested with all that was to be tested of them have said it.
  std::erase_if(open, [&](const OpenCandidate& o) {
    return !counts && plan_.candidates[o.index].fate != Fate::pruned;
  });
  const auto is_huge = [&](const OpenCandidate& o) {
    return counts && *request_.rate_rps > kMostBeyondLimits * o.deployed->estimate.rate_rps;
  };
  const bool any_huge = std::erase_if(open, is_huge) > 0;
  if (auto done = run_rounds(beyond, &open, watch); !done) return done;
  plimsoll::conclude(beyond, open);
  plan_.searched_beyond = execution_.keep_going() && !any_huge;
  if (const auto best = best_of(beyond, open)) plan_.beyond_limits = std::move(results[*best]);
  return {};
}

Result<Plan> PlanSearch::finish(std::optional<std::size_t> best) {
  if (best) choose(request_, *best, &open_, &plan_);
  TRY_TO(measure_best(request_, open_, &tests_, &plan_));
  plan_.probes = tests_.count();
  plan_.interrupted = !execution_.keep_going();
  return std::move(plan_);
}

}  // namespace plimsoll
