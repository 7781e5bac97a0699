#include "planner/best_measures.h"

#include <algorithm>
#include <cstdint>
#include <optional>

#include "planner/answer_error.h"
#include "planner/capacity.h"
#include "planner/estimate.h"
#include "planner/headroom.h"
#include "planner/plan_search.h"
#include "planner/rate_search.h"

namespace plimsoll {
namespace {

/// What has to be held, with all steps longer by a factor.
struct ReserveLoad {
  double rate_rps = 0;
  double step_factor = 1;
};

ProbeJob job_of(const ReserveLoad& load, const OpenCandidate& open, std::int64_t replicas,
                const PlanTests& tests) {
  ProbeJob job = tests.job(open, load.rate_rps, replicas);
  if (job.effort.warmup_s <= 0)
    job.effort = effort_to_settle(open.deployed->estimate_of(open.result->candidate, replicas),
                                  job.instances);
  job.step_factor = load.step_factor;
  if (load.step_factor != 1)
    job.effort = effort_with_longer_steps(job.effort, load.step_factor, job.system->slos);
  return job;
}

// Whether so many replicas hold all loads; none: there was no time left to test them.
Result<std::optional<bool>> hold_all(const std::vector<ReserveLoad>& loads,
                                     const OpenCandidate& open, std::int64_t replicas,
                                     PlanTests* tests) {
  for (const ReserveLoad& load : loads) {
    TRY(tested, tests->run({job_of(load, open, replicas, *tests)}));
    if (tested.empty()) return std::nullopt;
    if (tested.front().second.answer != Answer::holds) return false;
  }
  return true;
}

// The target rate at the slow end of the model's error.
ReserveLoad slow_steps_of(const PlanRequest& request, const ModelError& error) {
  return {*request.rate_rps, step_factors(error)[1]};
}

// Replicas of a candidate, spare ones included.
std::int64_t paid_replicas(const OpenCandidate& open) {
  return open.result->candidate.replicas + open.result->candidate.spare;
}

// Returns the fewest from `least` on, spare ones included, that hold each of the loads; 0: none
// that were tested. Goes up by a twentieth, then back into the gap below the first that do.
Result<std::int64_t> replicas_that_hold(const std::vector<ReserveLoad>& loads,
                                        const OpenCandidate& open, std::int64_t least,
                                        PlanTests* tests) {
  constexpr std::int64_t kFinest = 20;
  std::int64_t few = least - 1;
  std::int64_t enough = 0;
  for (std::int64_t n = least; enough == 0 && n <= kMostWithLongerSteps * paid_replicas(open);
       n += std::max<std::int64_t>(1, n / kFinest)) {
    TRY(hold, hold_all(loads, open, n, tests));
    if (!hold) return 0;
    (*hold ? enough : few) = n;
  }
  while (enough - few > 1) {
    const std::int64_t n = few + (enough - few) / 2;
    TRY(hold, hold_all(loads, open, n, tests));
    if (!hold) return enough;
    (*hold ? enough : few) = n;
  }
  return enough;
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
                                   [&](double rate) { return job(rate, one.step_factor, paid()); });
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

  /// One test of so many replicas, all that are paid for; none: it was interrupted.
  Result<std::optional<LoadProbe>> test(double rate, std::int64_t replicas) const {
    TRY(probes, tests_.run({job(rate, 1, replicas)}));
    if (probes.empty()) return std::optional<LoadProbe>();
    return std::optional(std::move(probes.front().second));
  }

  std::int64_t paid() const { return paid_replicas(best_); }
  double beside_replicas() const { return best_.result->beside_replicas; }
  /// None of them is idle while others are busy.
  bool is_independent() const { return best_.deployed->estimate.independent; }
  bool has_spare() const { return best_.result->candidate.spare > 0; }
  bool can_confirm() const { return !best_.deployed->system.other_loads.empty(); }
  double idle_rps() const { return kIdleShare * best_.deployed->estimate.rate_rps; }

 private:
  ProbeJob job(double rate, double step_factor, std::int64_t replicas) const {
    ProbeJob job = tests_.job(best_, rate, replicas);
    job.step_factor = step_factor;
    if (job.effort.warmup_s <= 0) {
      const CapacityEstimate estimate =
          best_.deployed->estimate_of(best_.result->candidate, replicas);
      job.effort = effort_to_settle(estimate, job.instances);
    }
    if (step_factor != 1)
      job.effort = effort_with_longer_steps(job.effort, step_factor, job.system->slos);
    return job;
  }

  const OpenCandidate& best_;
  PlanTests& tests_;
};

// Arithmetic has each instance serve as much as those of the best do. Behind a router that goes by
// caches or by sessions that is not so: it is tested whether more of them hold the usual headroom.
Result<void> test_more(double asked_rps, const BestFleet& best, Headroom* headroom) {
  const std::int64_t more =
      instances_with_headroom(best.paid(), headroom_of(asked_rps, headroom->good_rps),
                              kUsualHeadroom, best.beside_replicas());
  if (more == best.paid() || best.is_independent()) return {};
  TRY_SET(headroom->with_more, best.test(asked_rps * (1 + kUsualHeadroom), more));
  return {};
}

// How much more than the target rate the best would take. Nothing has shown that it holds that with
// its spare replicas: behind a router that leaves some idle it may not.
Result<void> measure_headroom(const PlanRequest& request, BestFleet best, Plan* plan) {
  if (!request.rate_rps) return {};
  RateSearchOptions search = headroom_search(*request.rate_rps, best.can_confirm());
  search.guess = *request.rate_rps;
  if (best.has_spare()) search.known_good = 0;
  std::vector<FleetSearch> all{{RateSearch(search)}};
  TRY_TO(best.search(&all));
  auto& [rates, factor, probes] = all.front();
  Headroom headroom{rates.good(), rates.bad(), {}};
  const auto at_bad = std::ranges::find(probes, rates.bad(), &LoadProbe::rate_rps);
  if (at_bad != probes.end()) headroom.at_bad = *at_bad;
  headroom.tests = std::move(probes);
  TRY_TO(test_more(*request.rate_rps, best, &headroom));
  plan->headroom = std::move(headroom);
  return {};
}

// The same largest rate with steps as short and as long as the model's error allows.
Result<void> vary_model(const PlanRequest& request, BestFleet best, Plan* plan) {
  const auto& error = plan->model_error;
  if (!request.varies_model || !error || error->step <= 0) return {};
  const double rate =
      plan->headroom ? plan->headroom->good_rps : plan->candidates[*plan->best].good_rps;
  if (rate <= 0) return {};
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

// The target rate has to be held at the slow end of a candidate's error, too.
bool asks_slow_steps(const PlanRequest& request, const OpenCandidate& open) {
  return request.rate_rps && request.varies_model && open.result->model_error;
}

// How many are enough whatever the model's error does: of the best, where it is short then, and of
// what is recommended in the place of a guess.
Result<void> size_for_slow_steps(const PlanRequest& request, const std::vector<OpenCandidate>& open,
                                 PlanTests* tests, Plan* plan) {
  const bool is_short =
      request.rate_rps && plan->model_rps && plan->model_rps->low < *request.rate_rps;
  if (!plan->cheapest_known && !is_short) return {};
  const OpenCandidate& sized = at_index(open, plan->cheapest_known.value_or(*plan->best));
  if (!asks_slow_steps(request, sized)) return {};
  TRY_SET(plan->cheapest_known ? plan->known_with_slow_steps : plan->best_with_slow_steps,
          replicas_that_hold({slow_steps_of(request, *sized.result->model_error)}, sized,
                             paid_replicas(sized) + (plan->cheapest_known ? 0 : 1), tests));
  return {};
}

// A split or a mix may be the cheapest for the rate itself and dearer than what is neither once it
// has room for the model's error, or headroom.
Result<void> size_plain(const PlanRequest& request, const std::vector<OpenCandidate>& open,
                        PlanTests* tests, Plan* plan) {
  const OpenCandidate& best = at_index(open, *plan->best);
  const Candidate& pick = best.result->candidate;
  const auto& other = pick.splits() ? plan->best_aggregated : plan->best_alone;
  if (!(pick.splits() || pick.mixes()) || !other || !plan->headroom || is_guess(*best.result))
    return {};
  const OpenCandidate& plain = at_index(open, other->index);
  if (plain.result->candidate.mixes() || is_guess(*plain.result)) return {};
  if (request.objective == Objective::lowest_latency) return {};  // the cheaper one is slower
  const double asked = *request.rate_rps;
  const std::int64_t slow = plan->best_with_slow_steps;
  const std::int64_t with_headroom =
      instances_with_headroom(paid_replicas(best), headroom_of(asked, plan->headroom->good_rps),
                              kUsualHeadroom, best.result->beside_replicas);
  const bool is_sized = !plan->model_rps || plan->model_rps->low >= asked || slow > 0;
  if (is_sized && std::max(slow, with_headroom) <= paid_replicas(best)) return {};
  std::vector<ReserveLoad> loads;
  if (asks_slow_steps(request, plain))
    loads.push_back(slow_steps_of(request, *plain.result->model_error));
  if (with_headroom >= slow) loads.push_back({asked * (1 + kUsualHeadroom)});
  TRY(enough, replicas_that_hold(loads, plain, paid_replicas(plain), tests));
  if (enough == 0) return {};
  const CandidateBills bills(request);
  const double usd = bills.objective_cost(plain, enough - plain.result->candidate.spare);
  const double usd_of_best = bills.objective_cost(best, std::max(slow, with_headroom) - pick.spare);
  if (!is_sized || usd < usd_of_best) plan->plain_with_reserve = {other->index, enough};
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

Result<void> measure_best(const PlanRequest& request, const std::vector<OpenCandidate>& open,
                          PlanTests* tests, Plan* plan) {
  if (!plan->best || !request.measures_best) return {};
  TRY_TO(compare_divisions(request, open, tests, plan));
  const BestFleet best(open, *plan, tests);
  TRY_TO(measure_headroom(request, best, plan));
  if (!tests->keep_going()) return {};
  TRY_TO(vary_model(request, best, plan));
  if (!tests->keep_going()) plan->model_rps.reset();  // cut short
  TRY_TO(size_for_slow_steps(request, open, tests, plan));
  return size_plain(request, open, tests, plan);
}

}  // namespace plimsoll
