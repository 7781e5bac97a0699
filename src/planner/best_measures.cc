#include "planner/best_measures.h"

#include <algorithm>
#include <cstdint>
#include <optional>

#include "planner/answer_error.h"
#include "planner/capacity.h"
#include "planner/estimate.h"
#include "planner/headroom.h"
#include "planner/rate_search.h"
#include "planner/reserve.h"

namespace plimsoll {
namespace {

/// For the largest rate with steps that are longer by a factor, with its tests so far.
struct FleetSearch {
  RateSearch rates;
  double step_factor = 1;
  std::vector<LoadProbe> tests = {};
};

/// The fleet of the best at other rates, as far as `rates` asks; as long as `capacity` tests it, so
/// that both find the same. With its spare replicas, all that is paid for, where a rate is to be
/// held; without, where the most that is served is the question: they are spare.
class BestFleet {
 public:
  BestFleet(const PlanRequest& request, const std::vector<OpenCandidate>& open, const Plan& plan,
            PlanTests* tests)
      : best_(candidate_at(open, *plan.best)),
        tests_(*tests),
        tested_(request.rate_rps ? best_.paid_replicas() : best_.result->candidate.replicas) {}

  /// Several at once, each round of all of them together: one of them alone would leave threads
  /// without work.
  Result<void> search(std::vector<FleetSearch>* all) {
    while (tests_.keep_going()) {
      std::vector<ProbeJob> jobs;
      std::vector<std::size_t> asked;  // of each search, how many
      for (const FleetSearch& one : *all) {
        const auto own = next_jobs(
            one.rates, one.tests, [&](double rate) { return job(rate, one.step_factor, tested_); });
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

  std::int64_t paid() const { return best_.paid_replicas(); }
  double beside_replicas() const { return best_.result->beside_replicas; }
  /// None of them is idle while others are busy.
  bool is_independent() const { return best_.deployed->estimate.independent; }
  bool has_spare() const { return best_.result->candidate.spare > 0; }
  bool can_confirm() const { return !best_.deployed->system.other_loads.empty(); }
  double idle_rps() const { return kIdleShare * best_.deployed->estimate.rate_rps; }

 private:
  ProbeJob job(double rate, double step_factor, std::int64_t replicas) const {
    return tests_.settled_job(best_, rate, replicas, step_factor);
  }

  const OpenCandidate& best_;
  PlanTests& tests_;
  std::int64_t tested_;  ///< replicas
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
  TRY(split, confirmed_ms(request, candidate_at(open, plan->best_split->index), tests));
  TRY(whole, confirmed_ms(request, candidate_at(open, plan->best_aggregated->index), tests));
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
  const BestFleet best(request, open, *plan, tests);
  TRY_TO(measure_headroom(request, best, plan));
  if (!tests->keep_going()) return {};
  TRY_TO(vary_model(request, best, plan));
  if (!tests->keep_going()) plan->model_rps.reset();  // cut short
  TRY_TO(size_for_slow_steps(request, open, tests, plan));
  return size_plain(request, open, tests, plan);
}

}  // namespace plimsoll
