#include "planner/plan_choice.h"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <string_view>
#include <utility>

#include "planner/candidate_bill.h"
#include "planner/candidate_fate.h"
#include "planner/frontier.h"

namespace plimsoll {
namespace {

// Less is better.
double final_cost(const PlanRequest& request, const OpenCandidate& open) {
  const CandidateResult& r = *open.result;
  switch (request.objective) {
    case Objective::qps_per_dollar:
      return r.usd_per_hour > 0 ? r.usd_per_hour / r.good_rps
                                : static_cast<double>(r.candidate.total_gpus()) / r.good_rps;
    case Objective::lowest_latency:
      return compared_latency_ms(r);
    case Objective::least_cost:
    case Objective::least_gpus:
      break;
  }
  return CandidateBills(request).objective_cost(open, r.candidate.replicas);
}

/// One that keeps all limits.
struct Contender {
  OpenCandidate* open = nullptr;
  double cost = 0;
};

void compare_with(const Contender& best, const std::vector<Contender>& all, Plan* plan) {
  for (const Contender& c : all) {
    if (c.open == best.open) continue;
    const double ratio = c.cost / best.cost;
    Because<CandidateCause>& reason = c.open->result->reason;
    if (ratio > 1 + kRatePrecision) {
      reason = {CandidateCause::costs_more, ratio - 1};
    } else if (ratio < 1 / (1 + kRatePrecision)) {
      reason = {CandidateCause::costs_less, 1 - ratio};
    } else {
      plan->ties.push_back(c.open->index);
      reason = {CandidateCause::tied, kRatePrecision};
    }
  }
}

void choose_known(const Contender& best, const std::vector<Contender>& all, Plan* plan) {
  if (!is_guess(*best.open->result)) return;
  double least = std::numeric_limits<double>::infinity();
  for (const Contender& c : all) {
    if (is_guess(*c.open->result) || c.cost >= least) continue;
    least = c.cost;
    plan->cheapest_known = c.open->index;
  }
}

// What is dearer than the best may still serve more, or faster.
std::vector<std::size_t> frontier(const PlanRequest& request, const Plan& plan) {
  std::vector<std::size_t> shown;
  for (std::size_t i = 0; i < plan.candidates.size(); ++i) {
    if (is_shown(request, plan.candidates[i])) shown.push_back(i);
  }
  return frontier_of(plan.candidates, shown, request.rate_rps.has_value());
}

}  // namespace

std::optional<std::size_t> best_of(const PlanRequest& request,
                                   const std::vector<OpenCandidate>& open) {
  std::optional<std::size_t> best;
  double least = 0;
  for (const OpenCandidate& o : open) {
    if (o.result->fate != Fate::feasible) continue;
    const double cost = final_cost(request, o);
    if (best && cost >= least) continue;
    best = o.index;
    least = cost;
  }
  return best;
}

void choose(const PlanRequest& request, std::size_t chosen, std::vector<OpenCandidate>* open,
            Plan* plan) {
  std::vector<Contender> all;
  for (OpenCandidate& o : *open) {
    if (o.result->fate == Fate::feasible) all.push_back({&o, final_cost(request, o)});
  }
  const Contender best =
      *std::ranges::find(all, chosen, [](const Contender& c) { return c.open->index; });
  plan->best = chosen;
  plan->model_error = best.open->result->model_error;
  plan->best_probes = std::move(best.open->probes);
  std::ranges::sort(plan->best_probes, {},
                    [](const LoadProbe& p) { return std::pair(p.rate_rps, p.instances); });
  compare_with(best, all, plan);
  choose_known(best, all, plan);
  plan->frontier = frontier(request, *plan);
}

}  // namespace plimsoll
