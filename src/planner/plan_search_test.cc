#include "planner/plan_search.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <utility>

#include "fake_gpus.h"
#include "planner/shared_fleet.h"
#include "slow_sanitized.h"

namespace plimsoll {
namespace {

using test::deploy;
using test::plan_of;
using test::request_of;
using testing::HasSubstr;

PlanRequest of_a_fleet(std::vector<std::string> gpus) {
  PlanRequest request = request_of(std::move(gpus));
  request.space.tp = {1};
  request.space.max_num_seqs = {64};
  request.space.replicas.clear();
  request.rate_rps = 900;
  request.objective = Objective::least_cost;
  request.keeps_tradeoffs = true;
  return request;
}

Plan finished_with(const PlanRequest& request, std::optional<std::size_t> best) {
  const Execution execution;
  PlanSearch search(request, execution, nullptr);
  const auto deployed = [&](const Candidate& c) { return deploy(c, request.slos); };
  EXPECT_TRUE(search.search(deployed, {}));
  auto plan = search.finish(best);
  EXPECT_TRUE(plan);
  return std::move(*plan);
}

TEST(PlanSearch, measures_the_one_that_was_chosen_not_the_cheapest) {
  const PlanRequest request = of_a_fleet({"slow", "dear"});  // more GPUs, or more dollars
  const auto alone = plan_of(request);
  ASSERT_TRUE(alone && alone->best);
  std::vector<FleetOption> options = fleet_options(*alone);
  ASSERT_GE(options.size(), 2u);
  std::ranges::sort(options, {}, &FleetOption::usd_per_hour);
  const std::size_t cheapest = options.front().candidate;
  const std::size_t dearest = options.back().candidate;
  EXPECT_EQ(*alone->best, cheapest);

  const Plan plan = finished_with(request, dearest);
  EXPECT_EQ(plan.best, dearest);
  ASSERT_TRUE(plan.headroom);
  EXPECT_EQ(plan.best_probes.front().rate_rps, 900);
  EXPECT_EQ(plan.candidates[dearest].reason.cause, CandidateCause::none);
  EXPECT_EQ(plan.candidates[cheapest].reason.cause, CandidateCause::costs_less);
}

// As a plan of one model asks it, of the same best.
TEST(PlanSearch, asks_the_error_of_the_model_of_the_one_that_was_chosen) {
  SLOW_SANITIZED();
  const PlanRequest request = of_a_fleet({"guessed"});
  const auto alone = plan_of(request);
  ASSERT_TRUE(alone && alone->best && alone->model_rps);
  const Plan same = finished_with(request, alone->best);
  ASSERT_TRUE(same.model_rps);
  EXPECT_EQ(same.model_rps->low, alone->model_rps->low);
  EXPECT_EQ(same.model_rps->high, alone->model_rps->high);
  EXPECT_EQ(same.probes, alone->probes);
}

TEST(PlanSearch, ends_without_a_best_where_none_is_left_for_it) {
  const Plan plan = finished_with(of_a_fleet({"slow", "dear"}), std::nullopt);
  EXPECT_FALSE(plan.best || plan.headroom || plan.model_rps);
  EXPECT_FALSE(fleet_options(plan).empty());
}

TEST(PlanSearch, bills_each_pool_of_a_split_by_its_own_gpu) {
  PlanRequest request = test::request_of({"slow"});
  request.space.tp = {1};
  request.space.max_num_seqs = {64};
  request.space.disaggregation = {Disaggregated::yes};
  request.space.pool_ratios = {{2, 1}};
  request.space.prefill_gpus = {"dear"};
  request.space.prefill_tp = {2};
  request.rate_rps = 300;
  request.space.replicas.clear();
  request.objective = Objective::least_cost;
  const auto plan = test::plan_of(request);
  ASSERT_TRUE(plan && plan->best);
  const CandidateResult& best = plan->candidates[*plan->best];
  const double groups = static_cast<double>(best.candidate.replicas);
  EXPECT_DOUBLE_EQ(best.usd_per_hour, groups * (2 * 2 * 6 + 1));
  ASSERT_EQ(best.bill.lines.size(), 2U);
  EXPECT_EQ(best.price->gpu, "slow");
  request.max_usd_per_hour = 20;  // less than a group
  const auto none = test::plan_of(request);
  ASSERT_TRUE(none);
  EXPECT_EQ(none->candidates.front().reason.cause, CandidateCause::too_dear);
}

PlanRequest of_a_mix() {
  PlanRequest request = request_of({"fast", "slow"});
  request.space.tp = {1};
  request.space.max_num_seqs = {64};
  request.space.replicas.clear();
  request.space.mixes_gpus = true;
  request.rate_rps = 900;
  request.objective = Objective::least_cost;
  return request;
}

TEST(PlanSearch, bills_each_gpu_type_of_a_mix_and_keeps_spares_of_the_faster_one) {
  PlanRequest request = of_a_mix();
  request.available_gpus = {{"fast", 2}, {"slow", 3}};
  request.rate_rps = 600;
  auto plan = plan_of(request);
  ASSERT_TRUE(plan);
  const auto mix = std::ranges::find_if(
      plan->candidates, [](const CandidateResult& r) { return r.candidate.mixes(); });
  ASSERT_NE(mix, plan->candidates.end());
  ASSERT_TRUE(plan->best_mix);
  const CandidateResult& best = plan->candidates[plan->best_mix->index];
  EXPECT_EQ(best.candidate.gpu, "fast");
  const auto usd = [](const Candidate& c) {
    return 2.4 * static_cast<double>(c.replicas + c.spare) + static_cast<double>(c.beside);
  };
  EXPECT_DOUBLE_EQ(best.usd_per_hour, usd(best.candidate));
  EXPECT_EQ(best.bill.lines.back().price.gpu, "slow");
  EXPECT_EQ(best.at_good->instances, best.candidate.replicas + best.candidate.beside);
  request.spare = 1;
  request.available_gpus["fast"] = 3;
  plan = plan_of(request);
  ASSERT_TRUE(plan && plan->best_mix);
  const CandidateResult& safe = plan->candidates[plan->best_mix->index];
  EXPECT_EQ(safe.candidate.spare, 1);
  EXPECT_DOUBLE_EQ(safe.usd_per_hour, usd(safe.candidate));
}

// What it costs without a mix is an answer, whatever wins.
TEST(PlanSearch, finds_the_best_without_a_mix_beside_the_best_with_one) {
  const PlanRequest request = of_a_mix();
  const auto plan = plan_of(request);
  PlanRequest without = request;
  without.space.mixes_gpus = false;
  const auto plain = plan_of(without);
  ASSERT_TRUE(plan && plan->best_alone && plain && plain->best);
  EXPECT_EQ(plan->candidates[plan->best_alone->index].usd_per_hour,
            plain->candidates[*plain->best].usd_per_hour);
  EXPECT_LE(plan->candidates[*plan->best].usd_per_hour,
            plain->candidates[*plain->best].usd_per_hour);
}

// The mix is the cheapest as predicted; with room for the model's error or headroom GPUs of one
// type may be.
TEST(PlanSearch, sizes_what_is_no_mix_with_the_same_reserve) {
  SLOW_SANITIZED();
  PlanRequest request = of_a_mix();
  int found = 0;
  for (const double rate : {300.0, 450.0, 600.0, 750.0, 900.0}) {
    request.rate_rps = rate;
    const auto plan = plan_of(request);
    ASSERT_TRUE(plan && plan->best);
    if (!plan->plain_with_reserve) continue;
    ++found;
    const auto [index, replicas] = *plan->plain_with_reserve;
    const CandidateResult& plain = plan->candidates[index];
    EXPECT_TRUE(plan->candidates[*plan->best].candidate.mixes());
    EXPECT_FALSE(plain.candidate.mixes());
    EXPECT_GE(replicas, plain.candidate.replicas);
    PlanRequest alone = request;
    alone.space.mixes_gpus = false;
    alone.space.gpus = {plain.candidate.gpu};
    alone.space.replicas = {replicas};
    alone.rate_rps = rate * 1.25;
    const auto again = plan_of(alone);
    EXPECT_TRUE(again && (again->best || plan->best_with_slow_steps > 0)) << rate;
  }
  EXPECT_GT(found, 0);
}

TEST(PlanSearch, keeps_to_the_gpus_that_there_are) {
  PlanRequest request = of_a_mix();
  request.available_gpus = {{"fast", 1}, {"slow", 1}};
  const auto plan = plan_of(request);
  ASSERT_TRUE(plan);
  EXPECT_FALSE(plan->best);
  EXPECT_EQ(plan->candidates.front().reason.cause, CandidateCause::too_few_available);
  ASSERT_TRUE(plan->beyond_limits) << "more of them would";
}

TEST(PlanSearch, beyond_the_limits_finds_the_mix_of_a_plan_without_them) {
  PlanRequest request = of_a_mix();
  const auto free = plan_of(request);
  request.available_gpus = {{"fast", 1}, {"slow", 1}};
  const auto plan = plan_of(request);
  ASSERT_TRUE(free && free->best && plan && plan->beyond_limits);
  EXPECT_EQ(describe_gpus(plan->beyond_limits->candidate),
            describe_gpus(free->candidates[*free->best].candidate));
}

TEST(PlanSearch, without_a_rate_mixes_as_many_as_the_limits_allow) {
  PlanRequest request = of_a_mix();
  request.rate_rps.reset();
  request.objective = Objective::qps_per_dollar;
  request.max_gpus = 4;
  request.max_usd_per_hour = 7;  // two of the fast ones, or one and three others
  request.available_gpus = {{"slow", 2}};
  const auto plan = plan_of(request);
  ASSERT_TRUE(plan && plan->best_mix);
  std::vector<std::string> mixes;
  for (const CandidateResult& r : plan->candidates) {
    if (r.candidate.mixes()) mixes.push_back(describe_hardware(r.candidate));
  }
  EXPECT_EQ(mixes, (std::vector<std::string>{"2 x fast + 1 x slow", "2 x fast + 2 x slow"}));
}

}  // namespace
}  // namespace plimsoll
