#include "planner/plan.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "fake_gpus.h"
#include "planner/plan_choice.h"
#include "slow_sanitized.h"

namespace plimsoll {
namespace {

using test::deploy;
using test::plan_of;
using test::request_of;

/// On one GPU an instance, with as many instances as the rate takes.
PlanRequest served_at(double rate_rps, Objective objective, const std::vector<std::string>& gpus) {
  PlanRequest request = request_of(gpus);
  request.space.tp = {1};
  request.space.max_num_seqs = {64};
  request.space.replicas.clear();
  request.rate_rps = rate_rps;
  request.objective = objective;
  return request;
}

TEST(Plan, is_the_same_from_any_number_of_threads) {
  SLOW_SANITIZED();
  PlanRequest request = request_of({"slow", "fast"});
  request.space.tp = {1};
  const auto one = plan_of(request, 1);
  const auto many = plan_of(request, 4);
  ASSERT_TRUE(one && many);
  EXPECT_EQ(one->best, many->best);
  EXPECT_EQ(one->probes, many->probes);
  EXPECT_EQ(one->frontier, many->frontier);
  for (std::size_t i = 0; i < one->candidates.size(); ++i) {
    EXPECT_EQ(one->candidates[i].good_rps, many->candidates[i].good_rps);
    EXPECT_EQ(one->candidates[i].reason, many->candidates[i].reason);
  }
}

TEST(Plan, names_the_reason_of_each_candidate_that_is_not_simulated) {
  PlanRequest request = request_of({"slow", "dear", "none"});
  request.space.num_gpus = {1};
  request.max_usd_per_hour = 7;
  const auto plan = plan_of(request);
  ASSERT_TRUE(plan);
  for (const CandidateResult& c : plan->candidates) {
    if (c.candidate.tp == 2) {
      EXPECT_EQ(c.reason.cause, CandidateCause::odd_num_gpus);
    } else if (c.candidate.gpu == "none") {
      EXPECT_EQ(c.refusal->message, "does not fit on none");
    } else if (c.candidate.gpu == "dear" && c.candidate.replicas == 2) {
      EXPECT_EQ(c.reason, Because<CandidateCause>(CandidateCause::too_dear, 0, 12, 7));
    } else {
      EXPECT_NE(c.fate, Fate::pruned) << c.id;
    }
  }
}

TEST(Plan, never_recommends_what_breaks_a_limit) {
  SLOW_SANITIZED();
  PlanRequest request = request_of({"slow", "fast"});
  request.slos = *parse_slos("test", "ttft_p90<1ms");
  auto plan = plan_of(request);
  ASSERT_TRUE(plan);
  EXPECT_FALSE(plan->best);
  EXPECT_TRUE(plan->frontier.empty());
  request = request_of({"slow"});
  request.min_rps = 1e5;
  plan = plan_of(request);
  ASSERT_TRUE(plan);
  EXPECT_FALSE(plan->best);
}

TEST(Plan, buys_the_cheapest_fleet_for_a_rate_and_its_spare) {
  PlanRequest request = request_of({"slow", "fast", "dear"});
  request.rate_rps = 900;
  request.space.replicas.clear();
  request.objective = Objective::least_cost;
  request.spare = 1;
  const auto plan = plan_of(request);
  ASSERT_TRUE(plan && plan->best);
  const CandidateResult& best = plan->candidates[*plan->best];
  const double unit =
      best.price->usd_per_hour * static_cast<double>(best.candidate.gpus_per_replica());
  EXPECT_DOUBLE_EQ(best.usd_per_hour, unit * static_cast<double>(best.candidate.replicas + 1));
  ASSERT_TRUE(best.at_good);
  EXPECT_EQ(best.at_good->instances, best.candidate.replicas);
  ASSERT_TRUE(plan->headroom);
  EXPECT_GE(plan->headroom->good_rps, 900);
  EXPECT_LE(plan->headroom->bad_rps, 1.051 * plan->headroom->good_rps);
  ASSERT_TRUE(plan->headroom->at_bad);
  EXPECT_EQ(plan->headroom->at_bad->rate_rps, plan->headroom->bad_rps);
  for (const Candidate& c : candidates_of(request)) {
    auto d = deploy(c, request.slos);
    const double per_replica =
        d->offers.front().usd_per_hour * static_cast<double>(c.gpus_per_replica());
    // One replica less than costs the same must not hold, whatever the layout.
    const auto affordable = static_cast<std::int32_t>((best.usd_per_hour - 0.01) / per_replica) - 1;
    if (affordable < 1) continue;
    d->system.deployment.main().num_instances = affordable;
    const auto probe = probe_load(d->system, 900, {.most_requests = 22'000});
    ASSERT_TRUE(probe);
    EXPECT_NE(probe->answer, Answer::holds) << describe(c) << " with " << affordable;
  }
}

TEST(Plan, holds_a_rate_with_a_number_of_replicas_that_is_listed) {
  PlanRequest request = served_at(900, Objective::least_cost, {"slow"});
  const auto free = plan_of(request);
  ASSERT_TRUE(free && free->best);
  const std::int64_t fewest = free->candidates[*free->best].candidate.replicas;
  request.space.replicas = {1, fewest - 1, fewest + 1};
  const auto plan = plan_of(request);
  ASSERT_TRUE(plan && plan->best);
  EXPECT_EQ(plan->candidates[*plan->best].candidate.replicas, fewest + 1);
  EXPECT_EQ(plan->candidates[0].fate, Fate::pruned);
  EXPECT_NE(plan->candidates[1].fate, Fate::feasible);
}

TEST(Plan, with_a_rate_draws_a_frontier_of_all_that_hold_it) {
  PlanRequest request = request_of({"slow", "fast", "dear"});
  request.space.max_num_seqs = {64};
  request.rate_rps = 400;
  request.space.replicas.clear();
  request.objective = Objective::least_cost;
  const auto plan = plan_of(request);
  ASSERT_TRUE(plan && plan->best);
  for (std::size_t i = 0; i < plan->candidates.size(); ++i) {
    const CandidateResult& c = plan->candidates[i];
    if (!c.at_good) continue;
    const bool drawn = std::ranges::count(plan->frontier, i) > 0;
    const bool beaten = std::ranges::any_of(plan->frontier, [&](std::size_t other) {
      const CandidateResult& o = plan->candidates[other];
      return other != i && o.usd_per_hour <= c.usd_per_hour &&
             compared_latency_ms(o) <= compared_latency_ms(c);
    });
    EXPECT_NE(drawn, beaten) << describe(c.candidate);
  }
  EXPECT_GT(plan->frontier.size(), 1U);
}

TEST(Plan, says_of_all_that_are_beaten_by_which_that_is_not) {
  SLOW_SANITIZED();
  PlanRequest request = request_of({"slow", "fast"});
  request.space.tp = {1};
  const auto plan = plan_of(request);
  ASSERT_TRUE(plan && plan->best);
  std::int64_t beaten = 0;
  for (const CandidateResult& c : plan->candidates) {
    if (c.fate != Fate::dominated) continue;
    beaten += 1;
    ASSERT_EQ(c.reason.cause, CandidateCause::beaten);
    const auto id = static_cast<std::size_t>(c.reason.figures[0]);
    EXPECT_NE(plan->candidates[id - 1].fate, Fate::dominated) << id;
  }
  EXPECT_GT(beaten, 0);
}

TEST(Plan, for_the_lowest_latency_looks_at_all_that_the_budget_allows) {
  PlanRequest request = served_at(400, Objective::lowest_latency, {"slow", "fast", "dear"});
  const auto plan = plan_of(request);
  ASSERT_TRUE(plan && plan->best);
  const CandidateResult& best = plan->candidates[*plan->best];
  for (const CandidateResult& c : plan->candidates) {
    ASSERT_EQ(c.fate, Fate::feasible) << c.candidate.gpu;
    EXPECT_GE(compared_latency_ms(c), compared_latency_ms(best));
  }
  EXPECT_EQ(plan->frontier.back(), *plan->best);
}

TEST(Plan, for_the_lowest_latency_takes_as_many_replicas_as_the_budget_allows) {
  PlanRequest request = request_of({"slow", "fast"});
  request.space.tp = {1};
  request.space.max_num_seqs = {64};
  request.space.replicas.clear();
  request.rate_rps = 400;
  request.max_gpus = 7;
  request.objective = Objective::lowest_latency;
  const auto plan = plan_of(request);
  ASSERT_TRUE(plan && plan->best);
  for (const CandidateResult& c : plan->candidates) EXPECT_EQ(c.candidate.replicas, 7);
  EXPECT_EQ(plan->candidates[*plan->best].candidate.gpu, "fast");
}

TEST(Plan, compares_latencies_at_one_rate_where_none_is_asked_for) {
  SLOW_SANITIZED();
  PlanRequest request = request_of({"slow", "fast"});
  request.space.tp = {1};
  request.space.max_num_seqs = {64};
  request.min_rps = 20;
  request.objective = Objective::lowest_latency;
  const auto plan = plan_of(request);
  ASSERT_TRUE(plan && plan->best);
  for (const CandidateResult& c : plan->candidates) {
    ASSERT_TRUE(c.at_compared) << describe(c.candidate);
    EXPECT_EQ(c.at_compared->rate_rps, 20);
    EXPECT_GE(compared_latency_ms(c), compared_latency_ms(plan->candidates[*plan->best]));
  }
}

// Nobody asked for one replica.
TEST(Plan, of_the_highest_rate_takes_as_many_replicas_as_the_limits_allow) {
  SLOW_SANITIZED();
  PlanRequest request = served_at(0, Objective::qps_per_dollar, {"fast"});
  request.rate_rps.reset();
  const auto one = plan_of(request);
  ASSERT_TRUE(one && one->best);
  EXPECT_EQ(one->candidates[*one->best].candidate.replicas, 1);
  request.max_gpus = 3;
  const auto three = plan_of(request);
  ASSERT_TRUE(three && three->best);
  const CandidateResult& best = three->candidates[*three->best];
  EXPECT_EQ(best.candidate.gpus(best.candidate.replicas), 3);
  EXPECT_GT(best.good_rps, 2 * one->candidates[*one->best].good_rps);
  request.max_gpus.reset();
  request.max_usd_per_hour = 2.5 * one->candidates[*one->best].usd_per_hour;
  const auto two = plan_of(request);
  ASSERT_TRUE(two && two->best);
  EXPECT_EQ(two->candidates[*two->best].candidate.replicas, 2);
  request.objective = Objective::least_cost;  // more of them would cost more
  const auto least = plan_of(request);
  ASSERT_TRUE(least && least->best);
  EXPECT_EQ(least->candidates[*least->best].candidate.replicas, 1);
}

TEST(Plan, names_the_cheapest_that_is_known_where_the_best_is_a_guess) {
  SLOW_SANITIZED();
  PlanRequest request = served_at(900, Objective::least_cost, {"guessed", "fast", "dear"});
  const auto plan = plan_of(request);
  ASSERT_TRUE(plan && plan->best);
  EXPECT_EQ(plan->candidates[*plan->best].candidate.gpu, "guessed");
  ASSERT_TRUE(plan->cheapest_known);
  EXPECT_EQ(plan->candidates[*plan->cheapest_known].candidate.gpu, "fast");
  request.space.gpus = {"guessed", "dear"};  // dearer than the guess may be wrong by
  const auto far = plan_of(request);
  ASSERT_TRUE(far->cheapest_known);
  const CandidateResult& known = far->candidates[*far->cheapest_known];
  EXPECT_EQ(known.candidate.gpu, "dear");
  request.space.gpus = {"dear"};  // as it is without the guess
  const auto alone = plan_of(request);
  EXPECT_EQ(known.usd_per_hour, alone->candidates[*alone->best].usd_per_hour);
  EXPECT_GE(plan->known_with_slow_steps,
            plan->candidates[*plan->cheapest_known].candidate.replicas);
  EXPECT_EQ(alone->known_with_slow_steps, 0);
}

// The best for the rate alone would take more instances for its error than another does.
TEST(Plan, names_what_holds_with_slow_steps_for_less_than_more_of_the_best) {
  SLOW_SANITIZED();
  PlanRequest request = served_at(900, Objective::least_cost, {"transferred", "fast", "dear"});
  request.varies_model = true;
  const auto plan = plan_of(request);
  ASSERT_TRUE(plan && plan->best);
  const CandidateResult& best = plan->candidates[*plan->best];
  EXPECT_EQ(best.candidate.gpu, "transferred");
  ASSERT_GT(plan->best_with_slow_steps, best.candidate.replicas);
  ASSERT_TRUE(plan->cheapest_known);
  EXPECT_EQ(plan->candidates[*plan->cheapest_known].candidate.gpu, "fast");
  EXPECT_EQ(plan->known_with_slow_steps, best.candidate.replicas);
  EXPECT_FALSE(plan->is_guess());

  request.space.gpus = {"guessed", "transferred", "fast"};  // the same in the place of a guess
  const auto instead = plan_of(request);
  ASSERT_TRUE(instead && instead->is_guess() && instead->cheapest_known);
  EXPECT_EQ(instead->candidates[*instead->cheapest_known].candidate.gpu, "fast");
  EXPECT_EQ(instead->known_with_slow_steps, plan->known_with_slow_steps);

  request.space.gpus = {"transferred", "dear"};  // of which as many cost more
  const auto alone = plan_of(request);
  ASSERT_TRUE(alone);
  EXPECT_FALSE(alone->cheapest_known);
}

// With the label and the figure of what was tested.
TEST(Plan, says_what_the_best_serves_with_steps_as_long_and_as_short_as_their_error_allows) {
  SLOW_SANITIZED();
  PlanRequest request = request_of({"guessed"});
  request.space.tp = request.space.replicas = {1};
  request.space.max_num_seqs = {64};
  const auto plan = plan_of(request);
  ASSERT_TRUE(plan && plan->best && plan->model_rps);
  const double good = plan->candidates[*plan->best].good_rps;
  EXPECT_NEAR(plan->model_rps->low, good / std::exp(0.25), 0.06 * good);
  EXPECT_NEAR(plan->model_rps->high, good * std::exp(0.25), 0.06 * good);
  request.varies_model = false;
  const auto unasked = plan_of(request);
  EXPECT_FALSE(unasked->model_rps);
  EXPECT_LT(unasked->probes, plan->probes);
}

TEST(Plan, shows_one_idle_replica_where_no_number_of_them_keeps_a_limit) {
  PlanRequest request = request_of({"fast"});
  request.slos = *parse_slos("test", "e2e_p50<20ms");
  request.space.tp = {1};
  request.space.max_num_seqs = {64};
  request.space.replicas.clear();
  request.rate_rps = 900;
  const auto plan = plan_of(request);
  ASSERT_TRUE(plan);
  EXPECT_FALSE(plan->best);
  const CandidateResult& r = plan->candidates.front();
  EXPECT_EQ(r.fate, Fate::infeasible);
  EXPECT_EQ(r.candidate.replicas, 1);
  ASSERT_TRUE(r.at_bad);
  EXPECT_LT(r.at_bad->rate_rps, 1);
  EXPECT_EQ(r.reason.cause, CandidateCause::fails_idle);
}

TEST(Plan, says_so_where_nothing_can_be_deployed) {
  const auto plan = plan_of(request_of({"none"}));
  ASSERT_FALSE(plan);
  EXPECT_EQ(plan.error().diagnostics.front().message, "does not fit on none");
}

}  // namespace
}  // namespace plimsoll
