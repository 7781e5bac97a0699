#include "planner/plan_choice.h"

#include <algorithm>
#include <cmath>

#include "planner/headroom.h"
#include "planner/plan_search.h"

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

// It costs less, or as much and serves the rate faster.
bool is_better(const PlanRequest& request, const OpenCandidate& a, const OpenCandidate& b) {
  const double cost = final_cost(request, a);
  const double other = final_cost(request, b);
  if (!costs_the_same(cost, other)) return cost < other;
  return request.rate_rps && compared_latency_ms(*a.result) < compared_latency_ms(*b.result);
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

// Those of each kind by the order of best_of().
void choose_divisions(const PlanRequest& request, std::vector<Contender> all, Plan* plan) {
  std::ranges::stable_sort(all, [&](const Contender& a, const Contender& b) {
    return is_better(request, *a.open, *b.open);
  });
  for (const Contender& c : all) {
    const Candidate& candidate = c.open->result->candidate;
    const auto keep = [&](std::optional<BestOfDivision>* best) {
      if (!*best) *best = {c.open->index, c.cost};
    };
    keep(candidate.splits() ? &plan->best_split : &plan->best_aggregated);
    keep(candidate.mixes() ? &plan->best_mix : &plan->best_alone);
    if (!candidate.quantizes()) keep(&plan->best_stored);
  }
}

void choose_known(const Contender& best, const std::vector<Contender>& all, Plan* plan) {
  if (!is_guess(*best.open->result)) return;
  double least = std::numeric_limits<double>::infinity();
  for (const Contender& c : all) {
    const Candidate& known = c.open->result->candidate;
    const bool may_change = known.quantizes() && !best.open->result->candidate.quantizes();
    if (is_guess(*c.open->result) || may_change) continue;
    // Its own error is to be covered: as many more as its steps may be longer.
    const auto& error = c.open->result->model_error;
    const double cost = c.cost * (error ? std::exp(error->step) : 1);
    if (cost >= least) continue;
    least = cost;
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

bool costs_the_same(double a, double b) {
  constexpr double kEqual = 1e-9;
  return std::fabs(a - b) <= kEqual * b;
}

std::optional<std::size_t> best_of(const PlanRequest& request,
                                   const std::vector<OpenCandidate>& open) {
  const OpenCandidate* best = nullptr;
  for (const OpenCandidate& o : open) {
    if (o.result->fate != Fate::feasible) continue;
    if (best == nullptr || is_better(request, o, *best)) best = &o;
  }
  return best == nullptr ? std::nullopt : std::optional(best->index);
}

Result<std::optional<std::size_t>> best_with_headroom(const PlanRequest& request,
                                                      const std::vector<OpenCandidate>& open,
                                                      PlanTests* tests) {
  const auto best = best_of(request, open);
  const bool is_by_cost =
      request.objective == Objective::least_cost || request.objective == Objective::least_gpus;
  if (!best || !request.rate_rps || !request.measures_best || !is_by_cost) return best;
  const OpenCandidate& fastest = candidate_at(open, *best);
  std::vector<const OpenCandidate*> as_cheap;
  for (const OpenCandidate& o : open) {
    const bool is_known = !is_guess(*o.result) || is_guess(*fastest.result);
    if (o.result->fate == Fate::feasible && is_known &&
        costs_the_same(final_cost(request, o), final_cost(request, fastest)))
      as_cheap.push_back(&o);
  }
  if (as_cheap.size() < 2) return best;
  // Stored weights before those that may change answers, then by speed.
  std::ranges::stable_sort(as_cheap, [&](const OpenCandidate* a, const OpenCandidate* b) {
    const bool quantizes = a->result->candidate.quantizes();
    if (quantizes != b->result->candidate.quantizes()) return !quantizes;
    return is_better(request, *a, *b);
  });
  const double wanted_rps = *request.rate_rps * (1 + kUsualHeadroom);
  for (const OpenCandidate* o : as_cheap) {
    TRY(tested, tests->run({tests->settled_job(*o, wanted_rps, o->paid_replicas())}));
    if (tested.empty()) break;  // interrupted
    if (tested.front().second.answer == Answer::holds) return std::optional(o->index);
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
  choose_divisions(request, all, plan);
  plan->frontier = frontier(request, *plan);
}

double compared_latency_ms(const CandidateResult& result) {
  const LoadProbe& probe = result.at_compared ? *result.at_compared : *result.at_good;
  return probe.slos.empty() ? probe.summary.cluster.ttft.p99_ms : probe.slos.front().value_ms;
}

std::vector<std::size_t> frontier_of(const std::vector<CandidateResult>& candidates,
                                     std::vector<std::size_t> feasible, bool by_latency) {
  const auto value = [&](std::size_t i) {
    const CandidateResult& r = candidates[i];
    return by_latency ? -compared_latency_ms(r) : r.good_rps;
  };
  const auto order = [&](std::size_t a, std::size_t b) {
    return std::pair(candidates[a].usd_per_hour, -value(a)) <
           std::pair(candidates[b].usd_per_hour, -value(b));
  };
  std::ranges::stable_sort(feasible, order);
  std::vector<std::size_t> frontier;
  double best = -std::numeric_limits<double>::infinity();
  for (const std::size_t i : feasible) {
    if (value(i) <= best) continue;
    best = value(i);
    frontier.push_back(i);
  }
  return frontier;
}

Result<void> compare_at_one_rate(const PlanRequest& request, const std::vector<OpenCandidate>& open,
                                 PlanTests* tests, Plan* plan) {
  if (request.rate_rps || request.objective != Objective::lowest_latency) return {};
  double rate = std::numeric_limits<double>::infinity();
  for (const OpenCandidate& o : open) {
    if (o.result->fate == Fate::feasible) rate = std::min(rate, o.result->good_rps);
  }
  if (request.least_rps() > 0) rate = request.least_rps();
  std::vector<ProbeJob> jobs;
  for (const OpenCandidate& o : open) {
    if (o.result->fate != Fate::feasible) continue;
    jobs.push_back(tests->job(o, rate, o.result->candidate.replicas));
  }
  TRY(probes, tests->run(jobs));
  for (auto& [number, probe] : probes) {
    plan->candidates[static_cast<std::size_t>(jobs[number].tag)].at_compared = std::move(probe);
  }
  return {};
}

}  // namespace plimsoll
