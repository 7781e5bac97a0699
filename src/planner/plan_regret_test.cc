// Does a plan recommend what exhaustive search finds?
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "asked_count.h"
#include "fake_gpus.h"
#include "planner/plan.h"
#include "slow_sanitized.h"

namespace plimsoll {
namespace {

using test::deploy;
using test::FakeGpu;
using test::plan_of;
using test::request_of;
using test::with_replicas;

/// Every candidate by itself, however bad.
double best_qps_per_dollar(const PlanRequest& request) {
  double best = 0;
  for (const Candidate& c : candidates_of(request)) {
    auto d = deploy(c, request.slos);
    if (!d) continue;
    d->system.deployment = with_replicas(d->system.deployment, c, c.replicas);
    ProbeEffort effort;
    effort.most_requests = 22'000;
    const auto found = sustainable_rate(
        d->system, {d->estimate.rate_rps * static_cast<double>(c.replicas), 0.01, 0.1}, effort, {});
    const double usd = test::usd_of(*d, c, c.replicas);
    best = std::max(best, found->good_rps / usd);
  }
  return best;
}

TEST(Plan, finds_what_exhaustive_search_finds) {
  SLOW_SANITIZED();
  for (const auto& gpus : {std::vector<std::string>{"slow", "fast"}, {"fast", "dear"}}) {
    PlanRequest request = request_of(gpus);
    request.space.tp = {1};
    request.space.disaggregation = {Disaggregated::no, Disaggregated::yes};
    request.space.pool_ratios = {{1, 1}, {1, 2}};
    const auto plan = plan_of(request);
    ASSERT_TRUE(plan);
    ASSERT_TRUE(plan->best);
    const double found = plan->candidates[*plan->best].qps_per_dollar();
    EXPECT_GT(found, 0.97 * best_qps_per_dollar(request));
  }
}

// Any cheaper fleet of any layout is one that fails: the regret is 0. tools/check-plan asks the
// same of the catalog's models, with longer runs.
TEST(Plan, regrets_nothing_in_random_spaces) {
  SLOW_SANITIZED();
  std::uint64_t state = 7;
  const auto between = [&state](double low, double high) {
    state = state * 6364136223846793005ULL + 1442695040888963407ULL;
    return low + (high - low) * static_cast<double>(state >> 40) / static_cast<double>(1 << 24);
  };
  Execution execution;
  execution.threads = 2;
  // Each kind of space is among the first eight.
  const std::uint64_t spaces = test::asked_count("PLIMSOLL_PLANNED_SPACES", 8);
  for (std::uint64_t space = 0; space < spaces; ++space) {
    const FakeGpu gpus[]{{"a", between(2000, 6000), between(20, 100), between(0.5, 3)},
                         {"b", between(2000, 6000), between(20, 100), between(0.5, 3)}};
    PlanRequest request = request_of({"a", "b"});
    request.space.tp = {1};
    request.rate_rps = between(100, 800);
    request.space.replicas.clear();
    request.objective = Objective::least_cost;
    if (space % 2 == 1) request.space.disaggregation = {Disaggregated::no, Disaggregated::yes};
    request.space.pool_ratios = {{1, 1 + static_cast<std::int64_t>(space % 3)}, {2, 1}};
    if (space % 4 == 3) request.space.prefill_gpus = {"a", "b"};
    if (space % 8 == 5) request.space.prefill_tp = {1, 2};
    const auto of_space = [&](const Candidate& c) { return deploy(c, request.slos, gpus); };
    const auto plan = make_plan(request, of_space, execution);
    ASSERT_TRUE(plan && plan->best) << space;
    const double paid = plan->candidates[*plan->best].usd_per_hour;
    for (const Candidate& c : candidates_of(request)) {
      auto d = of_space(c);
      const double usd = test::usd_of(*d, c, 1);
      const auto fewer = static_cast<std::int32_t>(std::ceil(paid / usd - 1e-9)) - 1;
      if (fewer < 1) continue;
      d->system.deployment = with_replicas(d->system.deployment, c, fewer);
      const auto probe = probe_load(d->system, *request.rate_rps, {.most_requests = 22'000});
      EXPECT_NE(probe->answer, Answer::holds) << space << ": " << fewer << " x " << describe(c);
    }
  }
}

}  // namespace
}  // namespace plimsoll
