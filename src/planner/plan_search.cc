#include "planner/plan_search.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "planner/best_measures.h"
#include "planner/mixes.h"

namespace plimsoll {
namespace {

// Replicas by arithmetic; a fleet that is larger is not tested only to be advised.
constexpr double kMostBeyondLimits = 256;

void add_candidates(const std::vector<Candidate>& candidates,
                    std::vector<CandidateResult>* results) {
  for (const Candidate& candidate : candidates) {
    CandidateResult& result = results->emplace_back();
    result.id = std::ssize(*results);
    result.candidate = candidate;
  }
}

template <class Field>
void keep(const OpenCandidate& open, Field LoadProbe::*field, Field value,
          std::optional<LoadProbe>* to) {
  const auto at = std::ranges::find(open.probes, value, field);
  if (at != open.probes.end()) *to = *at;
}

// By any number of replicas, at any rate: no matter of what is better.
bool is_never_served(const OpenCandidate& open) {
  const auto is_refused = [](const LoadProbe& p) { return p.is_turned_away; };
  return open.is_impossible() || (open.replicas && open.replicas->good() == 0 &&
                                  std::ranges::any_of(open.probes, is_refused));
}

class Concluding {
 public:
  explicit Concluding(const PlanRequest& request) : request_(request), bills_(request) {}

  void conclude_one(const OpenCandidate& open) const {
    CandidateResult& result = *open.result;
    if (open.replicas) {
      const auto instances = [&](std::int64_t replicas) {
        return static_cast<std::int32_t>(result.candidate.instances(replicas));
      };
      const std::int64_t good = open.replicas->good();
      const std::int64_t bad = open.replicas->bad();
      if (good > 0) {
        result.good_rps = *request_.rate_rps;
        keep(open, &LoadProbe::instances, instances(good), &result.at_good);
      }
      keep(open, &LoadProbe::instances, instances(bad), &result.at_bad);
      if (good == 0 && open.is_impossible()) result.at_bad = open.idle;
      // Of one that failed, the fleet that did.
      const std::int64_t tested =
          result.at_bad ? result.candidate.replicas_of(result.at_bad->instances) : 0;
      if (good > 0 || tested > 0) result.candidate.replicas = good > 0 ? good : tested;
      bills_.set_bill(open);
    } else {
      result.good_rps = open.rates->good();
      result.bad_rps = open.rates->bad();
      keep(open, &LoadProbe::rate_rps, result.good_rps, &result.at_good);
      keep(open, &LoadProbe::rate_rps, result.bad_rps, &result.at_bad);
      if (result.good_rps <= 0 && open.is_impossible()) {
        result.at_bad = open.idle;
        result.bad_rps = open.idle->rate_rps;
      }
    }
    if (open.beaten_by && !is_never_served(open)) {
      result.fate = Fate::dominated;
    } else {
      set_fate(open, &result);
    }
  }

 private:
  void set_fate(const OpenCandidate& open, CandidateResult* result) const {
    if (is_shown(request_, *result)) {
      result->fate = Fate::feasible;
      return;
    }
    result->fate = fails_for_certain(open, *result) ? Fate::infeasible : Fate::unclear;
    if (open.probes.empty() && !result->at_bad) {
      result->reason = CandidateCause::not_tested;
    }
    if (result->at_good) {
      result->reason = {CandidateCause::holds_too_little, result->good_rps, request_.least_rps()};
    } else if (result->at_bad || !open.probes.empty()) {
      // Unclear there is unclear everywhere.
      const bool is_idle = open.idle && open.idle->answer != Answer::holds;
      result->reason = is_idle ? CandidateCause::fails_idle : CandidateCause::fails;
      result->deciding = is_idle          ? *open.idle
                         : result->at_bad ? *result->at_bad
                                          : open.probes.back();
    }
  }

  bool fails_for_certain(const OpenCandidate& open, const CandidateResult& result) const {
    if (!result.at_bad) return false;
    if (open.is_impossible()) return true;
    if (open.replicas) return open.replicas->none_holds();
    const bool any_unclear = std::ranges::any_of(
        open.probes, [](const LoadProbe& p) { return p.answer == Answer::unclear; });
    return !any_unclear || result.bad_rps <= request_.least_rps();
  }

  const PlanRequest& request_;
  const CandidateBills bills_;
};

// Leaves out those that are too large to be tested, and returns what the cheapest of them costs at
// least; infinite: there are none.
double erase_huge(const PlanRequest& request, std::vector<OpenCandidate>* open) {
  const CandidateBills bills(request);
  double least = std::numeric_limits<double>::infinity();
  std::erase_if(*open, [&](const OpenCandidate& o) {
    const bool is_huge =
        o.replicas && *request.rate_rps > kMostBeyondLimits * o.deployed->estimate.rate_rps;
    if (!is_huge) return false;
    const bool is_ranked_by_cost = request.objective != Objective::lowest_latency;
    least = std::min(least,
                     is_ranked_by_cost ? bills.objective_cost(o, o.result->candidate.replicas) : 0);
    return true;
  });
  return least;
}

// Of those that were beaten: by whom that was not beaten itself. Each of such a chain costs no
// more than the one before.
Because<CandidateCause> better_than(const OpenCandidate& beaten,
                                    const std::vector<OpenCandidate>& open) {
  const OpenCandidate* better = &beaten;
  while (better->beaten_by) {
    better = &*std::ranges::lower_bound(open, *better->beaten_by, {}, &OpenCandidate::index);
  }
  return {CandidateCause::beaten, better->result->id};
}

}  // namespace

Result<void> PlanSearch::open(const Deploy& deploy, const Shard& shard) {
  const bool mixes = request_.space.mixes_gpus;
  add_candidates(candidates_of(request_), &plan_.candidates);
  // Which counts are worth a look in a mix follows from what its GPUs do alone: from all of them.
  TRY_TO(deployments_.make(deploy, mixes ? Shard{} : shard, execution_.threads, &plan_.candidates));
  if (mixes) {
    add_candidates(mixes_of(request_, plan_.candidates, deployments_), &plan_.candidates);
    TRY_TO(deployments_.make(deploy, shard, execution_.threads, &plan_.candidates));
    deployments_.keep(shard);
  }
  open_ = open_candidates(request_, deployments_, &plan_.candidates);
  return {};
}

Result<void> PlanSearch::test_shard(const Deploy& deploy, const Shard& shard) {
  TRY_TO(open(deploy, shard));
  return run_rounds(request_, &open_, {});
}

Result<void> PlanSearch::search(const Deploy& deploy, const WatchPlan& watch) {
  TRY_TO(open(deploy, {}));
  TRY_TO(run_rounds(request_, &open_, watch));
  conclude(request_, open_);
  if (!best() && execution_.keep_going()) return search_beyond_limits(deploy, watch);
  return compare_at_one_rate(request_, open_, &tests_, &plan_);
}

Result<void> PlanSearch::run_rounds(const PlanRequest& request, std::vector<OpenCandidate>* open,
                                    const WatchPlan& watch) {
  PlanRounds rounds(request, open, &tests_, &idle_);
  while (execution_.keep_going()) {
    TRY(asked, rounds.next());
    if (!asked) break;
    if (watch) watch(rounds.progress());
  }
  return {};
}

// The candidates without the limits: the same, and mixes of more instances.
Result<std::vector<CandidateResult>> PlanSearch::candidates_beyond(const PlanRequest& beyond,
                                                                   const Deploy& deploy) {
  std::vector<CandidateResult> results = plan_.candidates;
  if (request_.space.mixes_gpus) {
    std::vector<Candidate> mixes = mixes_of(beyond, results, deployments_);
    std::erase_if(mixes, [&](const Candidate& mix) {
      return std::ranges::any_of(results, [&](const CandidateResult& r) {
        return r.candidate.deployment() == mix.deployment() && r.candidate.beside == mix.beside;
      });
    });
    add_candidates(mixes, &results);
    TRY_TO(deployments_.make(deploy, {}, execution_.threads, &results));
  }
  for (CandidateResult& result : results) {
    if (request_.rate_rps && request_.space.replicas.empty()) result.candidate.replicas = 0;
    result.at_good.reset();
    result.at_bad.reset();
    result.reason = {};
  }
  return results;
}

// What the limits on GPUs and money kept out, all of it or what they left too few replicas: a
// report may only advise what a plan without them would choose.
Result<void> PlanSearch::search_beyond_limits(const Deploy& deploy, const WatchPlan& watch) {
  if (!request_.has_limits()) return {};
  PlanRequest beyond = request_;
  beyond.drop_budget();
  beyond.available_gpus.clear();
  TRY(results, candidates_beyond(beyond, deploy));
  std::vector<OpenCandidate> open = open_candidates(beyond, deployments_, &results);
  // Those that were tested with all that was to be tested of them have said it.
  std::erase_if(open, [&](const OpenCandidate& o) {
    const bool is_counted = request_.rate_rps && request_.space.replicas.empty();
    return !is_counted && o.index < plan_.candidates.size() &&
           plan_.candidates[o.index].fate != Fate::pruned;
  });
  const double untested = erase_huge(beyond, &open);
  const CandidateBills bills(beyond);
  const auto beats_untested = [&](const OpenCandidate& o) {
    return bills.objective_cost(o, o.result->candidate.replicas) <= untested;
  };
  if (std::ranges::none_of(open, beats_untested)) {
    plan_.searched_beyond = std::isinf(untested);
    return {};
  }
  TRY_TO(run_rounds(beyond, &open, watch));
  plimsoll::conclude(beyond, open);
  const auto best = best_of(beyond, open);
  plan_.searched_beyond = execution_.keep_going() && std::isinf(untested);
  if (!best) return {};
  const auto at = std::ranges::find(open, *best, &OpenCandidate::index);
  if (beats_untested(*at)) plan_.beyond_limits = std::move(results[*best]);
  return {};
}

Result<Plan> PlanSearch::finish(std::optional<std::size_t> best) {
  if (best) choose(request_, *best, &open_, &plan_);
  TRY_TO(measure_best(request_, open_, &tests_, &plan_));
  plan_.probes = tests_.count();
  plan_.interrupted = !execution_.keep_going();
  return std::move(plan_);
}

bool is_shown(const PlanRequest& request, const CandidateResult& result) {
  return result.at_good && result.good_rps > 0 && result.good_rps >= request.least_rps();
}

void conclude(const PlanRequest& request, const std::vector<OpenCandidate>& open) {
  const Concluding concluding(request);
  for (const OpenCandidate& o : open) concluding.conclude_one(o);
  for (const OpenCandidate& o : open) {
    if (o.result->fate == Fate::dominated) o.result->reason = better_than(o, open);
  }
}

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

bool is_guess(const CandidateResult& result) {
  return result.model_error && result.model_error->is_guess();
}

Result<Plan> make_plan(const PlanRequest& request, const Deploy& deploy, const Execution& execution,
                       Journal* journal, const WatchPlan& watch) {
  PlanSearch search(request, execution, journal);
  TRY_TO(search.search(deploy, watch));
  TRY(best, search.best_with_headroom());
  return search.finish(best);
}

}  // namespace plimsoll
