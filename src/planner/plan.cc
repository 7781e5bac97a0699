#include "planner/plan.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "planner/candidate_fate.h"
#include "planner/candidate_opening.h"
#include "planner/plan_choice.h"
#include "planner/plan_rounds.h"

namespace plimsoll {
namespace {

using OpenCandidates = std::vector<OpenCandidate>;

constexpr double kHeadroomPrecision = 0.05;

std::vector<CandidateResult> results_of(const PlanRequest& request) {
  std::vector<CandidateResult> results;
  for (const Candidate& candidate : candidates_of(request)) {
    CandidateResult& result = results.emplace_back();
    result.id = std::ssize(results);
    result.candidate = candidate;
  }
  return results;
}

// Latencies at the most that each serves say nothing: all of them at what has to be served, or at
// the least of what they serve.
Result<void> compare_at_one_rate(const PlanRequest& request, const OpenCandidates& open,
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
  auto probes = tests->run(jobs);
  if (!probes) return pass_on(probes);
  for (auto& [number, probe] : *probes) {
    plan->candidates[static_cast<std::size_t>(jobs[number].tag)].at_compared = std::move(probe);
  }
  return {};
}

// How much more than the target rate the best would take.
Result<void> measure_headroom(const PlanRequest& request, const OpenCandidates& open,
                              PlanTests* tests, Plan* plan) {
  if (!request.rate_rps || !plan->best) return {};
  const OpenCandidate& best = *std::ranges::find(open, *plan->best, &OpenCandidate::index);
  RateSearchOptions search;
  search.precision = kHeadroomPrecision;
  search.lowest = search.known_good = *request.rate_rps;
  RateSearch rates(search);
  Headroom headroom{*request.rate_rps, rates.bad(), {}};
  for (auto asked = rates.next(); !asked.empty() && tests->keep_going(); asked = rates.next()) {
    std::vector<ProbeJob> jobs;
    for (const double rate : asked) {
      jobs.push_back(tests->job(best, rate, best.result->candidate.replicas));
    }
    auto probes = tests->run(jobs);
    if (!probes) return pass_on(probes);
    for (auto& [number, probe] : *probes) {
      rates.tell(probe.rate_rps, probe.answer);
      if (probe.rate_rps == rates.bad()) headroom.at_bad = std::move(probe);
    }
  }
  headroom.good_rps = rates.good();
  headroom.bad_rps = rates.bad();
  plan->headroom = std::move(headroom);
  return {};
}

}  // namespace

std::string_view name_of(Fate fate) {
  switch (fate) {
    case Fate::feasible:
      return "feasible";
    case Fate::infeasible:
      return "infeasible";
    case Fate::unclear:
      return "unclear";
    case Fate::dominated:
      return "dominated";
    case Fate::pruned:
      break;
  }
  return "pruned";
}

Result<Plan> make_plan(const PlanRequest& request, const Deploy& deploy, const Execution& execution,
                       PlanJournal* journal) {
  Plan plan;
  plan.candidates = results_of(request);
  Deployments deployments;
  if (auto made = deployments.make(deploy, &plan.candidates); !made) return pass_on(made);
  OpenCandidates open = open_candidates(request, deployments, &plan.candidates);
  PlanTests tests(request, execution, journal);
  PlanRounds rounds(request, &open, &tests);
  while (execution.keep_going()) {
    auto asked = rounds.next();
    if (!asked) return pass_on(asked);
    if (!*asked) break;
    plan.rounds += 1;
  }
  conclude(request, open);
  if (auto done = compare_at_one_rate(request, open, &tests, &plan); !done) return pass_on(done);
  choose_best(request, &open, &plan);
  if (auto done = measure_headroom(request, open, &tests, &plan); !done) return pass_on(done);
  plan.probes = tests.count();
  plan.interrupted = !execution.keep_going();
  return plan;
}

}  // namespace plimsoll
