#include "planner/plan_choice.h"

#include "planner/answer_error.h"
#include "planner/capacity.h"
#include "planner/plan_search.h"
#include "planner/rate_search.h"
#include "planner/slow_steps.h"

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

void choose_divisions(const std::vector<Contender>& all, Plan* plan) {
  for (const Contender& c : all) {
    const Candidate& candidate = c.open->result->candidate;
    for (auto* best : {candidate.splits() ? &plan->best_split : &plan->best_aggregated,
                       candidate.mixes() ? &plan->best_mix : &plan->best_alone}) {
      if (!*best || c.cost < (*best)->cost) *best = {c.open->index, c.cost};
    }
  }
}

void choose_known(const Contender& best, const std::vector<Contender>& all, Plan* plan) {
  if (!is_guess(*best.open->result)) return;
  double least = std::numeric_limits<double>::infinity();
  for (const Contender& c : all) {
    if (is_guess(*c.open->result)) continue;
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

/// For the largest rate with steps that are longer by a factor, with its tests so far.
struct FleetSearch {
  RateSearch rates;
  double step_factor = 1;
  std::vector<LoadProbe> tests = {};
};

/// The fleet of the best with its spare replicas, all that is paid for, at other rates, as far as
/// `rates` asks; as long as `capacity` tests it, so that both find the same.
class BestFleet {
 public:
  BestFleet(const std::vector<OpenCandidate>& open, const Plan& plan, PlanTests* tests)
      : best_(*std::ranges::find(open, *plan.best, &OpenCandidate::index)), tests_(*tests) {}

  /// Several at once, each round of all of them together: one of them alone would leave threads
  /// without work.
  Result<void> search(std::vector<FleetSearch>* all) {
    while (tests_.keep_going()) {
      std::vector<ProbeJob> jobs;
      std::vector<std::size_t> asked;  // of each search, how many
      for (const FleetSearch& one : *all) {
        const auto own = next_jobs(one.rates, one.tests,
                                   [&](double rate) { return job(rate, one.step_factor); });
        asked.push_back(own.size());
        jobs.insert(jobs.end(), own.begin(), own.end());
      }
      if (jobs.empty()) break;
      TRY(probes, tests_.run(jobs));
      for (std::size_t i = 0; i < all->size(); ++i) {
        FleetSearch& one = (*all)[i];
        std::vector<LoadProbe> own;
        for (auto& [number, probe] : probes) {
          if (jobs[number].step_factor == one.step_factor) own.push_back(std::move(probe));
        }
        if (asked[i] > 0) take_tests(std::move(own), asked[i], &one.rates, &one.tests);
      }
    }
    return {};
  }

  bool can_confirm() const { return !best_.deployed->system.other_loads.empty(); }
  double idle_rps() const { return kIdleShare * best_.deployed->estimate.rate_rps; }

 private:
  ProbeJob job(double rate, double step_factor) const {
    const Candidate& fleet = best_.result->candidate;
    ProbeJob job = tests_.job(best_, rate, fleet.replicas + fleet.spare);
    job.step_factor = step_factor;
    if (job.effort.warmup_s <= 0)
      job.effort = effort_to_settle(
          best_.deployed->estimate_of(fleet, fleet.replicas + fleet.spare), job.instances);
    if (step_factor != 1)
      job.effort = effort_with_longer_steps(job.effort, step_factor, job.system->slos);
    return job;
  }

  const OpenCandidate& best_;
  PlanTests& tests_;
};

// How much more than the target rate the best would take.
Result<void> measure_headroom(const PlanRequest& request, BestFleet best, Plan* plan) {
  if (!request.rate_rps) return {};
  std::vector<FleetSearch> all{
      {RateSearch(headroom_search(*request.rate_rps, best.can_confirm()))}};
  TRY_TO(best.search(&all));
  auto& [rates, factor, probes] = all.front();
  Headroom headroom{rates.good(), rates.bad(), {}};
  const auto at_bad = std::ranges::find(probes, rates.bad(), &LoadProbe::rate_rps);
  if (at_bad != probes.end()) headroom.at_bad = *at_bad;
  headroom.tests = std::move(probes);
  plan->headroom = std::move(headroom);
  return {};
}

// The same largest rate with steps as short and as long as the model's error allows.
Result<void> vary_model(const PlanRequest& request, BestFleet best, Plan* plan) {
  const auto& error = plan->model_error;
  if (!request.varies_model || !error || error->step <= 0) return {};
  const double rate =
      plan->headroom ? plan->headroom->good_rps : plan->candidates[*plan->best].good_rps;
  std::vector<FleetSearch> both;
  for (const double factor : step_factors(*error)) {
    RateSearchOptions search =
        search_with_longer_steps(rate, best.idle_rps(), factor, best.can_confirm());
    if (request.highest_rps > 0) search.highest = request.highest_rps;
    both.push_back({RateSearch(search), factor});
  }
  TRY_TO(best.search(&both));
  plan->model_rps = rates_with_model_error(rate, both[1].rates.good(), both[0].rates.good());
  return {};
}

const OpenCandidate& at_index(const std::vector<OpenCandidate>& open, std::size_t index) {
  return *std::ranges::find(open, index, &OpenCandidate::index);
}

// How many are enough whatever the model's error does: of the best, where it is short then, and of
// what is recommended in the place of a guess.
Result<void> size_for_slow_steps(const PlanRequest& request, const std::vector<OpenCandidate>& open,
                                 PlanTests* tests, Plan* plan) {
  if (plan->cheapest_known) {
    const OpenCandidate& known = at_index(open, *plan->cheapest_known);
    TRY_SET(plan->known_with_slow_steps,
            replicas_with_slow_steps(request, known, paid_replicas(known), tests));
  } else if (request.rate_rps && plan->model_rps && plan->model_rps->low < *request.rate_rps) {
    const OpenCandidate& best = at_index(open, *plan->best);
    TRY_SET(plan->best_with_slow_steps,
            replicas_with_slow_steps(request, best, paid_replicas(best) + 1, tests));
  }
  return {};
}

// Of the first limit, seed by seed: by the tests that were to confirm the candidate.
Result<std::vector<double>> confirmed_ms(const PlanRequest& request, const OpenCandidate& open,
                                         PlanTests* tests) {
  const ProbeJob job = tests->job(open, *request.rate_rps, open.result->candidate.replicas);
  TRY(first, tests->run({job}));
  if (first.empty()) return std::vector<double>();
  TRY(others, tests->run(confirming_jobs(job, first.front().second)));
  std::vector<double> values{first.front().second.slos.front().value_ms};
  for (const auto& [number, test] : others) values.push_back(test.slos.front().value_ms);
  return values;
}

// The same requests for both.
Result<void> compare_divisions(const PlanRequest& request, const std::vector<OpenCandidate>& open,
                               PlanTests* tests, Plan* plan) {
  const bool both = plan->best_aggregated && plan->best_split;
  if (!both || !request.rate_rps || request.slos.empty() || !tests->keep_going()) return {};
  TRY(split, confirmed_ms(request, at_index(open, plan->best_split->index), tests));
  TRY(whole, confirmed_ms(request, at_index(open, plan->best_aggregated->index), tests));
  if (split.empty() || split.size() != whole.size()) return {};  // cut short
  constexpr double kLevel = 0.95;
  plan->split_difference_ms = paired_difference(split, whole, kLevel);
  plan->compared_seeds = split.size();
  return {};
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
  choose_divisions(all, plan);
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

Result<void> measure_best(const PlanRequest& request, const std::vector<OpenCandidate>& open,
                          PlanTests* tests, Plan* plan) {
  if (!plan->best || !request.measures_best) return {};
  TRY_TO(compare_divisions(request, open, tests, plan));
  const BestFleet best(open, *plan, tests);
  if (auto done = measure_headroom(request, best, plan); !done) return done;
  if (!tests->keep_going()) return {};
  TRY_TO(vary_model(request, best, plan));
  if (!tests->keep_going()) plan->model_rps.reset();  // cut short
  return size_for_slow_steps(request, open, tests, plan);
}

}  // namespace plimsoll
