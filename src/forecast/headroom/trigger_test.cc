// Has every scenario a number at which to go back, and is it the line that the sheet shows?
#include "forecast/headroom/trigger.h"

#include <string>

#include <gtest/gtest.h>

#include "forecast/headroom/headroom.h"

namespace plimsoll {
namespace {

// Half of 4,000 prompt tokens at 100/s is cached: 200k tokens/s are computed.
constexpr const char* kHalfCached = R"(routes:
  chat: {requests_per_s: 100, prompt_tokens: 4000, cached_share: 0.5, output_tokens: 50}
)";

ScenarioRow row_of(const std::string& resources, const std::string& scenario) {
  const auto request = parse_forecast_request(
      kHalfCached + resources + "\nscenarios: {it: " + scenario + "}\n", "f.yaml");
  EXPECT_TRUE(request);
  return find_headroom(*request, std::nullopt, Execution{})->scenarios.at(0);
}

TEST(Trigger, is_nine_tenths_of_the_line_and_the_line_where_so_much_is_used_already) {
  const char* const more = "{times: {requests_per_s: 1.5}}";
  const auto early = row_of("resources: {requests_per_s: {capacity: 140}}", more).trigger;
  ASSERT_TRUE(early);
  EXPECT_EQ(early->metric, "requests_per_s");
  EXPECT_EQ(early->unit, "1/s");
  EXPECT_DOUBLE_EQ(early->value, 126);
  EXPECT_FALSE(early->is_floor || early->is_passed);
  const auto close = row_of("resources: {requests_per_s: {capacity: 105}}", more).trigger;
  EXPECT_DOUBLE_EQ(close->value, 105);
  EXPECT_FALSE(close->is_passed);
}

// 100/s are 93 % of what a cut by 30 % leaves of 153.
TEST(Trigger, is_the_line_of_a_limit_that_is_cut_to_little_more_than_there_is) {
  const auto row =
      row_of("resources: {requests_per_s: {capacity: 153}}", "{capacity: {requests_per_s: 0.7}}");
  ASSERT_TRUE(row.trigger);
  EXPECT_NEAR(row.trigger->value, 107.1, 1e-9);
  EXPECT_TRUE(row.is_decided);
  EXPECT_FALSE(
      row_of("resources: {requests_per_s: {capacity: 153}}", "{instances: -1}").is_decided);
}

// Who reads of a scenario that changes nothing need not compare.
TEST(Trigger, is_a_scenario_that_changes_nothing_as_the_forecast) {
  const char* const capacity = "resources: {requests_per_s: {capacity: 153}}";
  EXPECT_TRUE(row_of(capacity, "{about: nothing happens}").is_as_forecast);
  EXPECT_FALSE(row_of(capacity, "{times: {requests_per_s: 1.5}}").is_as_forecast);
}

TEST(Trigger, is_the_line_even_where_it_is_crossed_without_the_scenario) {
  const auto passed =
      row_of("resources: {requests_per_s: {capacity: 80}}", "{times: {requests_per_s: 1.5}}")
          .trigger;
  ASSERT_TRUE(passed);
  EXPECT_DOUBLE_EQ(passed->value, 80);
  EXPECT_TRUE(passed->is_passed);
}

TEST(Trigger, is_of_a_colder_cache_the_hit_rate_at_which_prompts_reach_their_line) {
  const char* const cold = "{set: {cached_share: 0}}";
  // 250k of 400k tokens/s may be computed.
  const auto held =
      row_of("resources: {prompt_tokens_per_s: {capacity: 250000}}", "{set: {cached_share: 0.1}}")
          .trigger;
  ASSERT_TRUE(held);
  EXPECT_EQ(held->metric, "cached_share");
  EXPECT_TRUE(held->is_floor);
  EXPECT_DOUBLE_EQ(held->value, 1 - 0.9 * 250 / 400);
  const auto passed = row_of("resources: {prompt_tokens_per_s: {capacity: 150000}}", cold).trigger;
  EXPECT_DOUBLE_EQ(passed->value, 1 - 150.0 / 400);
  EXPECT_TRUE(passed->is_passed);
  // No hit rate is too low where all prompts can be computed, and with other changes it is not the
  // only thing to watch.
  for (const auto& [capacity, scenario] :
       {std::pair{"500000", cold}, std::pair{"250000", "{about: nothing happens}"},
        std::pair{"250000", "{set: {cached_share: 0}, times: {requests_per_s: 1.1}}"},
        std::pair{"250000", "{set: {cached_share: 0}, capacity: {prompt_tokens_per_s: 0.5}}"}}) {
    const auto other = row_of(
        std::string("resources: {prompt_tokens_per_s: {capacity: ") + capacity + "}}", scenario);
    ASSERT_TRUE(other.trigger);
    EXPECT_EQ(other.trigger->metric, "prompt_tokens_per_s") << scenario;
  }
}

TEST(Trigger, is_the_limit_that_breaks_where_none_of_what_comes_is_held) {
  const std::vector<Slo> slos = *parse_slos("slo", "ttft_p99<1s,tpot_p99<60ms");
  ScenarioRow row;
  row.binding = Resource::prompt_tokens;
  at(row.demand, Resource::prompt_tokens) = 100;
  at(row.capacity, Resource::prompt_tokens) = 0;
  TriggerFacts facts{{}, {}, 200.0};
  facts.used_before = 0.5;
  EXPECT_DOUBLE_EQ(trigger_of(row, *row.pressed(), facts, slos)->value,
                   0);  // nothing was simulated
  row.peak.emplace().probe.slos.resize(2);
  row.peak->probe.slos[0].value_ms = 900;
  row.peak->probe.slos[1].value_ms = 66;
  const auto trigger = trigger_of(row, *row.pressed(), facts, slos);
  EXPECT_EQ(trigger->metric, "tpot_p99_ms");
  EXPECT_EQ(trigger->unit, "ms");
  EXPECT_DOUBLE_EQ(trigger->value, 60);
  TriggerFacts of_cohort{{}, {}, 200.0, true, 0.012};
  of_cohort.used_before = 0.5;
  EXPECT_EQ(trigger_of(row, *row.pressed(), of_cohort, slos)->metric, "cohort_share");
  EXPECT_DOUBLE_EQ(trigger_of(row, *row.pressed(), of_cohort, slos)->value, 0.012);
}

// Half of the line and all but a twentieth of it are used: of the second, the trigger is passed.
TEST(Trigger, is_it_said_to_be_passed_where_the_forecast_exceeds_it) {
  ScenarioRow row;
  row.binding = Resource::requests;
  at(row.demand, Resource::requests) = 120;
  at(row.capacity, Resource::requests) = 100;
  TriggerFacts facts{{}, {}, 100.0};
  facts.used_before = 0.5;
  facts.demand_before = 50;
  EXPECT_FALSE(trigger_of(row, *row.pressed(), facts, {})->is_passed);
  at(row.capacity, Resource::requests) = 50;  // the scenario halves what there is
  facts.demand_before = 49;
  EXPECT_DOUBLE_EQ(trigger_of(row, *row.pressed(), facts, {})->value, 45);
  EXPECT_FALSE(trigger_of(row, *row.pressed(), facts, {})->is_passed);  // 49 of 100 are held
  EXPECT_TRUE(trigger_of(row, *row.pressed(), facts, {})->only_in_scenario);
  facts.used_before = 1.1;
  facts.demand_before = 110;
  EXPECT_TRUE(trigger_of(row, *row.pressed(), facts, {})->is_passed);
  EXPECT_FALSE(trigger_of(row, *row.pressed(), facts, {})->only_in_scenario);
}

// More requests change no bill of GPUs until somebody adds some.
TEST(Trigger, is_it_the_load_where_only_the_bill_of_more_gpus_is_too_high) {
  ScenarioRow row;
  row.binding = Resource::budget;
  row.worse = {Resource::budget, Resource::requests, Resource::output_tokens};
  at(row.demand, Resource::budget) = 9000;
  at(row.capacity, Resource::budget) = 8000;
  at(row.demand, Resource::requests) = 39;
  at(row.capacity, Resource::requests) = 36;
  at(row.demand, Resource::output_tokens) = 100;
  at(row.capacity, Resource::output_tokens) = 900;
  EXPECT_EQ(row.pressed(), Resource::budget);
  EXPECT_EQ(watched_of(row, {Flow{}}), Resource::requests);
  Flow bought;
  bought.from_provider = true;
  EXPECT_EQ(watched_of(row, {bought}), Resource::budget);
  row.worse = {Resource::budget};  // a price, or a budget that is cut
  EXPECT_EQ(watched_of(row, {Flow{}}), Resource::budget);
}

TEST(Trigger, is_it_where_the_whole_breaks_a_limit_before_any_line) {
  ScenarioRow row;
  row.worse = {Resource::output_tokens};
  at(row.demand, Resource::output_tokens) = 200;
  at(row.capacity, Resource::output_tokens) = 300;
  TriggerFacts facts{{}, {}, 300.0};
  facts.used_before = 0.25;  // 75
  EXPECT_DOUBLE_EQ(trigger_of(row, *row.pressed(), facts, {})->value, 270);
  row.peak.emplace().line.factor = 0.9;
  row.peak->line.is_known = true;
  const auto trigger = trigger_of(row, *row.pressed(), facts, {});
  EXPECT_DOUBLE_EQ(trigger->value, 162);
  EXPECT_FALSE(trigger->is_passed);
  facts.used_before = 0.64;  // 192 of 180
  EXPECT_FALSE(trigger_of(row, *row.pressed(), facts, {})->is_passed);
  EXPECT_TRUE(trigger_of(row, *row.pressed(), facts, {})->only_in_scenario);
  EXPECT_DOUBLE_EQ(trigger_of(row, *row.pressed(), facts, {})->value, 180);
}

// Longer answers reach the line of 100 tokens/s at the rate of the forecast; the mix that they end
// in holds 120, of fewer requests.
TEST(Trigger, is_of_longer_answers_the_line_that_they_reach_first) {
  ScenarioRow row;
  row.worse = {Resource::output_tokens};
  at(row.demand, Resource::output_tokens) = 130;
  at(row.capacity, Resource::output_tokens) = 120;
  TriggerFacts facts{{}, {}, 100.0};
  facts.used_before = 0.95;
  facts.demand_before = 95;
  EXPECT_DOUBLE_EQ(trigger_of(row, *row.pressed(), facts, {})->value, 100);
  facts.same_deployment = false;
  EXPECT_DOUBLE_EQ(trigger_of(row, *row.pressed(), facts, {})->value, 120);
}

TEST(Trigger, is_a_cohort_that_no_instance_can_serve_gone_back_on_at_once) {
  ScenarioRow row;
  row.worse = {Resource::requests};
  at(row.demand, Resource::requests) = 100;
  at(row.capacity, Resource::requests) = 120;
  TriggerFacts facts{{}, {}, 120.0};
  facts.cohort_held = 0;
  EXPECT_EQ(trigger_of(row, *row.pressed(), facts, {})->metric, kCohortShare);
  EXPECT_EQ(trigger_of(row, *row.pressed(), facts, {})->value, 0);
}

TEST(Trigger, is_there_none_where_nothing_has_a_capacity) {
  EXPECT_FALSE(watched_of(ScenarioRow{}, {}));
  EXPECT_FALSE(trigger_of(ScenarioRow{}, Resource::requests, {{}, {}, {}}, {}));
}

}  // namespace
}  // namespace plimsoll
