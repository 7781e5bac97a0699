// What a plan rules out never holds when it is simulated: random spaces with everything that makes
// a bound go wrong. tools/check-plan asks the same of the catalog's models.
#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "asked_count.h"
#include "plan_spaces.h"
#include "planner/mixes.h"
#include "slow_sanitized.h"

namespace plimsoll {
namespace {

using test::deploy;
using test::request_of;
using test::Space;
using test::space_of;
using test::with_replicas;

std::uint64_t number_of_spaces() { return test::asked_count("PLIMSOLL_PRUNED_SPACES", 4); }

// Mixes as well. `planned`: those without mixes come first.
std::vector<Candidate> all_candidates_of(const PlanRequest& request,
                                         std::vector<CandidateResult> planned,
                                         const Deploy& deploy) {
  std::vector<Candidate> all = candidates_of(request);
  planned.resize(all.size());
  if (!request.space.mixes_gpus) return all;
  Deployments deployments;
  EXPECT_TRUE(deployments.make(deploy, {}, 1, &planned));
  for (Candidate& mix : mixes_of(request, planned, deployments)) all.push_back(std::move(mix));
  return all;
}

bool is_short(const PlanRequest& request, Candidate candidate, std::int64_t replicas) {
  candidate.replicas = replicas;
  return short_of(request, candidate) != nullptr;
}

// Any fleet that costs less than the pick, or any at all where there is none. Its load is 5 % more
// than what is asked for: what holds that holds for certain.
TEST(PlanPruning, rules_nothing_out_that_holds) {
  SLOW_SANITIZED();
  const std::uint64_t spaces = number_of_spaces();
  Execution execution;
  execution.threads = 2;
  int without_pick = 0;
  for (std::uint64_t seed = 1; seed <= spaces; ++seed) {
    const Space space = space_of(seed);
    const PlanRequest& request = space.request;
    const auto of_space = [&](const Candidate& c) { return space.deployed(c); };
    const auto plan = make_plan(request, of_space, execution);
    ASSERT_TRUE(plan) << seed;
    without_pick += plan->best ? 0 : 1;
    const double paid = plan->best ? plan->candidates[*plan->best].usd_per_hour : 1e9;
    for (const Candidate& c : all_candidates_of(request, plan->candidates, of_space)) {
      auto d = of_space(c);
      ASSERT_TRUE(d) << seed;
      for (std::int64_t n = 1; c.gpus(n) <= *request.max_gpus; n += 1 + n / 3) {
        if (test::usd_of(*d, c, n) >= paid - 1e-9 || is_short(request, c, n)) break;
        ProbedSystem system = d->system;
        system.deployment = with_replicas(d->system.deployment, c, n);
        const auto test = probe_load(system, 1.05 * *request.rate_rps, {.most_requests = 22'000});
        ASSERT_TRUE(test) << seed;
        EXPECT_NE(test->answer, Answer::holds) << seed << ": " << n << " x " << describe(c);
      }
    }
  }
  EXPECT_LT(without_pick, static_cast<int>(spaces)) << "nothing to compare with";
}

// Limits on requests that are alone: asked once of each engine, not of each candidate.
TEST(PlanPruning, asks_once_of_each_engine_where_no_limit_can_be_kept) {
  SLOW_SANITIZED();
  PlanRequest request = request_of({"slow", "fast"});
  request.slos = *parse_slos("test", "e2e_p50<20ms");
  request.space.max_num_seqs = {8, 16, 32, 64};
  request.space.replicas = {1, 2, 3, 4};
  const auto plan = test::plan_of(request);
  ASSERT_TRUE(plan);
  EXPECT_FALSE(plan->best);
  ASSERT_EQ(plan->candidates.size(), 64U);
  for (const CandidateResult& r : plan->candidates) {
    EXPECT_EQ(r.fate, Fate::infeasible);
    EXPECT_EQ(r.reason.cause, CandidateCause::fails_idle);
    EXPECT_FALSE(r.deciding->is_turned_away);
  }
  EXPECT_LE(plan->probes, 2 * 16 + 4) << "two rounds of eight candidates, then four engines";
}

TEST(PlanPruning, makes_one_row_of_a_candidate_that_can_serve_nothing) {
  SLOW_SANITIZED();
  PlanRequest request = request_of({"slow", "fast"});
  request.space.tp = {1};
  request.space.max_num_seqs = {64};
  const auto on_small = [&](const Candidate& c) {
    auto d = deploy(c, request.slos);
    if (c.gpu == "slow") d->system.deployment.main().engine.total_kv_blocks = 1;
    return d;
  };
  for (const bool holds_a_rate : {false, true}) {
    if (holds_a_rate) {
      request.rate_rps = 300;
      request.space.replicas.clear();
      request.objective = Objective::least_cost;
    }
    const auto plan = make_plan(request, on_small, {});
    ASSERT_TRUE(plan && plan->best);
    EXPECT_EQ(plan->candidates[*plan->best].candidate.gpu, "fast");
    EXPECT_EQ(plan->candidates.front().fate, Fate::infeasible);
    EXPECT_EQ(plan->candidates.front().deciding->reason.cause, ProbeCause::never_served);
  }
}

TEST(PlanPruning, marks_what_was_left_before_its_end_as_a_bound) {
  SLOW_SANITIZED();
  PlanRequest request = request_of({"slow", "fast", "dear"});
  request.space.max_num_seqs = {4, 8, 16, 64};
  request.rate_rps = 900;
  request.space.replicas.clear();
  request.objective = Objective::least_cost;
  const auto plan = test::plan_of(request);
  ASSERT_TRUE(plan && plan->best);
  const CandidateResult& best = plan->candidates[*plan->best];
  EXPECT_FALSE(best.bound);
  int left = 0;
  for (const CandidateResult& r : plan->candidates) {
    if (!r.bound) continue;
    left += 1;
    EXPECT_EQ(r.fate, Fate::dominated);
    EXPECT_GE(r.bound->usd_per_hour, best.usd_per_hour);
    if (!r.at_good) continue;
    EXPECT_LT(r.bound->candidate.replicas, r.candidate.replicas);
  }
  EXPECT_GT(left, 0);
}

TEST(PlanPruning, finds_what_would_hold_without_a_budget) {
  SLOW_SANITIZED();
  PlanRequest request = request_of({"slow", "fast"});
  request.space.tp = {1, 2};
  request.space.max_num_seqs = {64};
  request.space.replicas.clear();
  request.objective = Objective::least_cost;
  for (const double rate : {3'000, 20'000}) {
    request.rate_rps = rate;
    const auto free = test::plan_of(request);
    ASSERT_TRUE(free && free->best);
    const CandidateResult& best = free->candidates[*free->best];
    PlanRequest of_money = request;
    of_money.max_usd_per_hour = 1;
    PlanRequest of_gpus = request;
    of_gpus.max_gpus = 2;
    PlanRequest of_stock = request;
    of_stock.available_gpus = {{"slow", 1}, {"fast", 1}};
    for (const PlanRequest& limited : {of_money, of_gpus, of_stock}) {
      const auto plan = test::plan_of(limited);
      ASSERT_TRUE(plan);
      EXPECT_FALSE(plan->best);
      EXPECT_TRUE(plan->searched_beyond);
      ASSERT_TRUE(plan->beyond_limits) << rate;
      EXPECT_EQ(describe_gpus(plan->beyond_limits->candidate), describe_gpus(best.candidate));
    }
  }
  request.max_usd_per_hour = 1;
  request.slos = *parse_slos("test", "e2e_p50<20ms");  // more money does not help
  const auto plan = test::plan_of(request);
  ASSERT_TRUE(plan);
  EXPECT_TRUE(plan->searched_beyond);
  EXPECT_FALSE(plan->beyond_limits);
}

// A dearer one that is small enough to be tested would be the wrong advice.
TEST(PlanPruning, advises_nothing_where_the_cheapest_is_too_large_to_be_tested) {
  PlanRequest request = request_of({"slow"});
  request.space.tp = {1, 8};
  request.space.max_num_seqs = {64};
  request.space.replicas.clear();
  request.objective = Objective::least_cost;
  request.rate_rps = 100'000;
  request.max_gpus = 2;
  const auto plan = test::plan_of(request);
  ASSERT_TRUE(plan);
  EXPECT_FALSE(plan->searched_beyond);
  EXPECT_FALSE(plan->beyond_limits);
}

}  // namespace
}  // namespace plimsoll
