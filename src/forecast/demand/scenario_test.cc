// Is the arithmetic of a launch review right? Hand-checked: 100 x 60 = 6k, 300 x 65 = 19.5k, with
// 15 % retries 22.4k output tokens/s, and without a cache twice the prefill.
#include "forecast/demand/scenario.h"

#include <algorithm>

#include <gtest/gtest.h>

#include "forecast/demand/route.h"

namespace plimsoll {
namespace {

Route assistant(double requests_per_s, double prompt_tokens, double output_tokens) {
  Route route;
  route.name = "assistant";
  route.requests_per_s = requests_per_s;
  route.prompt_tokens = prompt_tokens;
  route.cached_share = 0.5;
  route.output_tokens = output_tokens;
  return route;
}

const std::vector<Route> kBaselineDay{assistant(100, 3600, 60)};
const std::vector<Route> kLaunchPeak{assistant(300, 4800, 65)};

double demand(const std::vector<Route>& routes, Resource resource) {
  return at(demand_of(flows_of(routes)), resource).value_or(-1);
}

std::vector<Change> one(const Change& change) { return {change}; }

TEST(Demand, is_what_the_routes_ask_for) {
  EXPECT_DOUBLE_EQ(demand(kBaselineDay, Resource::output_tokens), 6'000);
  EXPECT_DOUBLE_EQ(demand(kBaselineDay, Resource::prompt_tokens), 180'000);
  EXPECT_DOUBLE_EQ(demand(kLaunchPeak, Resource::output_tokens), 19'500);
  EXPECT_DOUBLE_EQ(demand(kLaunchPeak, Resource::prompt_tokens), 720'000);
}

TEST(Demand, of_a_fixed_share_of_retries_grows_by_it) {
  Change retries;
  retries.set = {{&Route::retry_share, 0.15}};
  EXPECT_DOUBLE_EQ(demand(changed(kLaunchPeak, one(retries)), Resource::output_tokens), 22'425);
  Change more;
  more.retry_share = 0.15;
  EXPECT_DOUBLE_EQ(demand(changed(kLaunchPeak, one(more)), Resource::output_tokens), 22'425);
  // Attempts that a route sends again anyway may fail, too.
  std::vector<Route> routes = kLaunchPeak;
  routes[0].retry_share = 0.3;
  EXPECT_DOUBLE_EQ(demand(changed(routes, one(more)), Resource::output_tokens), 29'152.5);
}

TEST(Demand, without_a_cache_is_twice_the_prefill_where_half_was_cached) {
  Change cold;
  cold.set = {{&Route::cached_share, 0}};
  EXPECT_DOUBLE_EQ(demand(changed(kLaunchPeak, one(cold)), Resource::prompt_tokens), 1'440'000);
}

TEST(Demand, of_a_long_context_cohort_is_its_requests_times_its_prompts) {
  Change cohort;
  cohort.set = {
      {&Route::requests_per_s, 60}, {&Route::prompt_tokens, 3200}, {&Route::cached_share, 0}};
  auto routes = changed(kBaselineDay, one(cohort));
  EXPECT_DOUBLE_EQ(demand(routes, Resource::prompt_tokens), 192'000);
  routes[0].residence_s = 1;
  routes[0].output_tokens = 0;
  EXPECT_DOUBLE_EQ(demand(routes, Resource::active_kv_tokens), 192'000);
}

TEST(Demand, of_a_fallback_brings_its_prompt_and_gets_the_other_routes_answers) {
  std::vector<Route> routes{assistant(100, 1000, 50), assistant(0, 4000, 400)};
  routes[0].fallback_share = 0.1;
  routes[0].fallback_to = "strong";
  routes[1].name = "strong";
  const auto flows = flows_of(routes);
  ASSERT_EQ(flows.size(), 2U);
  EXPECT_EQ(flows[1].route, "strong");
  EXPECT_DOUBLE_EQ(flows[1].requests_per_s, 10);
  EXPECT_DOUBLE_EQ(flows[1].fresh_tokens(), 1000);
  EXPECT_DOUBLE_EQ(flows[1].output_tokens, 400);
}

TEST(Demand, of_a_provider_is_counted_by_the_minute_and_not_as_the_deployments) {
  std::vector<Route> routes{assistant(10, 1000, 100)};
  routes[0].from_provider = true;
  EXPECT_DOUBLE_EQ(demand(routes, Resource::provider_requests), 600);
  EXPECT_DOUBLE_EQ(demand(routes, Resource::provider_tokens), 660'000);
  EXPECT_DOUBLE_EQ(demand(routes, Resource::gateway_requests), 10);
  EXPECT_LT(demand(routes, Resource::requests), 0);
}

TEST(Scenario, does_a_cohort_keep_the_number_of_requests) {
  Change cohort;
  cohort.cohort = Cohort{0.1, 8, 1};
  const auto routes = changed(kLaunchPeak, one(cohort));
  EXPECT_DOUBLE_EQ(demand(routes, Resource::requests), 300);
  // 0.9 x 2,400 + 0.1 x (8 x 4,800 - 2,400 cached) fresh tokens per request.
  EXPECT_DOUBLE_EQ(demand(routes, Resource::prompt_tokens), 300 * (2160 + 3600));
}

TEST(Scenario, does_a_shift_move_requests_with_their_prompts) {
  std::vector<Route> routes{assistant(100, 1000, 50), assistant(10, 5000, 500)};
  routes[1].name = "strong";
  Change shift;
  shift.shift = Shift{"strong", 0.2};
  const auto after = changed(routes, one(shift));
  EXPECT_DOUBLE_EQ(after[0].requests_per_s, 80);
  EXPECT_DOUBLE_EQ(after[1].requests_per_s, 10);
  // A shape of its own: cold prompts, answered as the other route does.
  ASSERT_EQ(after.size(), 3U);
  EXPECT_EQ(after[2].name, "strong");
  EXPECT_DOUBLE_EQ(after[2].requests_per_s, 20);
  EXPECT_DOUBLE_EQ(after[2].prompt_tokens, 1000);
  EXPECT_DOUBLE_EQ(after[2].cached_share, 0);
  EXPECT_DOUBLE_EQ(after[2].output_tokens, 500);
}

TEST(Scenario, does_another_region_bring_its_own_mix) {
  std::vector<Route> routes{assistant(100, 1000, 50), assistant(20, 5000, 500)};
  routes[1].name = "strong";
  Change twice;
  twice.failover = RegionFailover{};
  EXPECT_DOUBLE_EQ(changed(routes, one(twice))[0].requests_per_s, 200);
  EXPECT_DOUBLE_EQ(changed(routes, one(twice))[1].requests_per_s, 40);
  Change half;
  half.failover = RegionFailover{0.5, {{"strong", 0.75}, {"assistant", 0.25}}};
  EXPECT_DOUBLE_EQ(changed(routes, one(half))[0].requests_per_s, 115);
  EXPECT_DOUBLE_EQ(changed(routes, one(half))[1].requests_per_s, 65);
  // Both regions: each brings what it had, however many come.
  EXPECT_DOUBLE_EQ(changed(routes, {twice, half})[1].requests_per_s, 85);
  twice.routes = {"strong"};
  EXPECT_DOUBLE_EQ(changed(routes, one(twice))[0].requests_per_s, 100);
}

TEST(Scenario, does_the_order_of_changes_not_matter) {
  Change more;
  more.times = {{&Route::requests_per_s, 1.5}, {&Route::prompt_tokens, 2}};
  Change cold;
  cold.set = {{&Route::cached_share, 0}};
  Change longer;
  longer.times = {{&Route::output_tokens, 1.3}};
  Change cohort;
  cohort.cohort = Cohort{0.1, 8, 1};
  Change shift;
  shift.shift = Shift{"strong", 0.2};
  Change back;
  back.routes = {"strong"};
  back.shift = Shift{"assistant", 0.5};
  back.cohort = Cohort{0.3, 1, 2};
  std::vector<Route> routes = kLaunchPeak;
  routes.push_back(assistant(10, 5000, 500));
  routes[1].name = "strong";
  Change region;
  region.failover = RegionFailover{0.4, {{"strong", 1}}};
  std::vector<Change> changes{more, cold, longer, cohort, shift, back, region};
  const auto first = demand_of(flows_of(changed(routes, changes)));
  std::ranges::reverse(changes);
  const auto second = demand_of(flows_of(changed(routes, changes)));
  for (const ResourceFacts& facts : resources()) {
    ASSERT_EQ(at(first, facts.resource).has_value(), at(second, facts.resource).has_value());
    EXPECT_DOUBLE_EQ(at(first, facts.resource).value_or(0), at(second, facts.resource).value_or(0));
  }
}

TEST(Scenario, does_no_built_in_one_lower_what_is_asked_for) {
  std::vector<Route> routes{assistant(100, 1000, 50), assistant(10, 5000, 500)};
  routes[1].name = "strong";
  routes[0].fallback_to = "strong";
  const auto before = demand_of(flows_of(routes));
  const auto all = built_in_scenarios(routes);
  EXPECT_EQ(all.size(), 12U);
  for (const Scenario& scenario : all) {
    const auto after = demand_of(flows_of(changed(routes, scenario.changes)));
    for (const Resource resource : {Resource::requests, Resource::prompt_tokens}) {
      EXPECT_GE(*at(after, resource), *at(before, resource) * (1 - 1e-12)) << scenario.name;
    }
  }
}

TEST(Risk, has_its_bounds_at_80_and_100_percent) {
  EXPECT_EQ(risk_of(Resource::requests, 0.75), Risk::ok);
  EXPECT_EQ(risk_of(Resource::requests, 0.8), Risk::tight);
  EXPECT_EQ(risk_of(Resource::output_tokens, 1), Risk::tight);
  EXPECT_EQ(risk_of(Resource::prompt_tokens, 1.01), Risk::shortfall);
  EXPECT_EQ(risk_of(Resource::active_kv_tokens, 1.01), Risk::memory_risk);
}

}  // namespace
}  // namespace plimsoll
