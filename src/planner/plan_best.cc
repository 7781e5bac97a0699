#include "planner/plan_best.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "planner/confirmation.h"
#include "planner/model_range.h"

namespace plimsoll {
namespace {

/// The fleet of the best at other rates, as far as `rates` asks.
class BestFleet {
 public:
  BestFleet(const std::vector<OpenCandidate>& open, const Plan& plan, PlanTests* tests)
      : best_(*std::ranges::find(open, *plan.best, &OpenCandidate::index)), tests_(*tests) {}

  /// All tests. With steps that are longer by a factor, a look is enough.
  Result<std::vector<LoadProbe>> search(RateSearch* rates, double step_factor = 1) {
    std::vector<LoadProbe> all;
    while (tests_.keep_going()) {
      const std::vector<ProbeJob> jobs =
          next_jobs(*rates, all, [&](double rate) { return job(rate, step_factor); });
      if (jobs.empty()) break;
      TRY(probes, tests_.run(jobs));
      take_tests(without_numbers(std::move(probes)), jobs.size(), rates, &all);
    }
    return all;
  }

  bool can_confirm() const { return !best_.deployed->system.other_loads.empty(); }
  double idle_rps() const { return kIdleShare * best_.deployed->estimate.rate_rps; }

 private:
  ProbeJob job(double rate, double step_factor) const {
    ProbeJob job = tests_.job(best_, rate, best_.result->candidate.replicas);
    job.step_factor = step_factor;
    if (step_factor != 1) job.effort = look_effort(job.effort);
    return job;
  }

  const OpenCandidate& best_;
  PlanTests& tests_;
};

// How much more than the target rate the best would take.
Result<void> measure_headroom(const PlanRequest& request, BestFleet best, Plan* plan) {
  if (!request.rate_rps) return {};
  RateSearch rates(headroom_search(*request.rate_rps, best.can_confirm()));
  TRY(probes, best.search(&rates));
  Headroom headroom{rates.good(), rates.bad(), {}};
  const auto at_bad = std::ranges::find(probes, rates.bad(), &LoadProbe::rate_rps);
  if (at_bad != probes.end()) headroom.at_bad = std::move(*at_bad);
  plan->headroom = std::move(headroom);
  return {};
}

// The same largest rate with steps as short and as long as the model's error allows.
Result<void> vary_model(const PlanRequest& request, BestFleet best, Plan* plan) {
  const auto& error = plan->model_error;
  if (!request.varies_model || !error || error->step <= 0) return {};
  const double rate =
      plan->headroom ? plan->headroom->good_rps : plan->candidates[*plan->best].good_rps;
  std::vector<double> ends;
  for (const double factor : step_factors(*error)) {
    RateSearchOptions search = search_with_longer_steps(rate, best.idle_rps(), factor);
    if (request.highest_rps > 0) search.highest = request.highest_rps;
    RateSearch rates(search);
    TRY_TO(best.search(&rates, factor));
    ends.push_back(rates.good());
  }
  const auto [low, high] = std::ranges::minmax(ends);
  plan->model_rps = Interval{low, high};
  return {};
}

}  // namespace

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
  if (!plan->best) return {};
  const BestFleet best(open, *plan, tests);
  if (auto done = measure_headroom(request, best, plan); !done) return done;
  if (!tests->keep_going()) return {};
  auto done = vary_model(request, best, plan);
  if (!tests->keep_going()) plan->model_rps.reset();  // cut short
  return done;
}

}  // namespace plimsoll
