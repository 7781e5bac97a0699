#include "forecast/runway/loss_plan.h"

#include <cmath>

#include <gtest/gtest.h>

#include "known_served.h"
#include "slow_sanitized.h"

namespace plimsoll {
namespace {

constexpr double kDay = 86'400;

Served two_deployed() {
  Served served;
  served.system.deployment.main().num_instances = 2;
  served.system.deployment.main().gpus = 2;
  served.usd_per_gpu_hour = 1;
  return served;
}

// One path, and no doubt about it.
Outlook as_sure(const std::vector<double>& demand) {
  Outlook outlook;
  outlook.step_s = kDay;
  outlook.point = demand;
  outlook.paths = {demand};
  return outlook;
}

// Two instances carry 20 requests/s, each its part; the peak is 30.
class InProportion : public ::testing::Test {
 protected:
  LossPlan plan(const Loss& loss) {
    request.losses = {loss};
    const auto plans = plan_losses(
        request, peak, two_deployed(),
        [](double times, std::int64_t) -> Result<std::int64_t> {
          return static_cast<std::int64_t>(std::ceil(2 * times));
        },
        [](double times, const Served& left) -> Result<double> {
          return static_cast<double>(left.replicas()) / (2 * times);
        });
    return plans->front();
  }

  Outlook demand = as_sure({5, 15, 30, 30});
  LoadAhead load{&demand, 20};
  LossPeak peak{1.5, 1.5, 30, 3, std::span(&load, 1), 4 * kDay, 0};
  ForecastRequest request;
};

TEST_F(InProportion, does_what_is_left_hold_the_peak) {
  EXPECT_EQ(plan({LossKind::instances, 1}).gpus, 2 * 4);
  EXPECT_EQ(plan({LossKind::zones, 3}).gpus, 2 * 5);  // 5 in zones of 2, 2 and 1: 3 are left
  EXPECT_EQ(plan({LossKind::zones, 2}).gpus, 2 * 6);
  EXPECT_EQ(plan({LossKind::regions, 3}).gpus, 2 * 6);  // two with 15 requests/s each
  EXPECT_EQ(plan({LossKind::regions, 3}).add_gpus, 8);
  EXPECT_DOUBLE_EQ(*plan({LossKind::regions, 3}).add_usd_per_month, 8 * 730.0);
}

TEST_F(InProportion, is_it_ordered_before_what_is_left_is_too_few) {
  request.history.lead_time_days = 2;
  request.history.cold_start_s = 100;
  const LossPlan one = plan({LossKind::instances, 1});
  EXPECT_EQ(one.instances_left, 1);
  EXPECT_DOUBLE_EQ(one.held, 1 / 3.0);
  EXPECT_DOUBLE_EQ(one.stranded, 20 * 100.0);
  EXPECT_EQ(*one.short_from_s, kDay);  // one instance carries 10 requests/s
  EXPECT_EQ(*one.order.by_s, kDay - 2 * kDay - 100);
  EXPECT_TRUE(one.order.late);
  EXPECT_EQ(plan({LossKind::instances, 2}).held, 0);
  EXPECT_EQ(*plan({LossKind::instances, 2}).short_from_s, 0);
}

// Without a history nothing else says that what is left may handle less than was simulated.
TEST_F(InProportion, is_a_loss_that_is_survived_told_by_slow_steps_too) {
  peak = {0.4, 0.4, 8, 1, {}, 0, 0};
  peak.slow_end = 0.75;
  const LossPlan one = plan({LossKind::instances, 1});
  EXPECT_EQ(one.add_gpus, 0);
  EXPECT_DOUBLE_EQ(one.held_at_slow_end, 1 / 0.8 * 0.75);
  peak.slow_end = 0.9;
  EXPECT_DOUBLE_EQ(plan({LossKind::instances, 1}).held_at_slow_end, 1);
}

// Then the number covers what slow steps take, and nothing is left to doubt.
TEST_F(InProportion, does_a_loss_without_a_history_allow_for_slow_steps) {
  HeadroomSheet headroom;
  headroom.forecast.emplace().line = {1.1, {1, 1.2}, {}, {}, true, true};
  headroom.forecast->judged = Interval{0.7, 1.2};
  headroom.gpus_at_slow_end = 2 * 3;
  peak = *loss_peak(headroom, nullptr, {}, two_deployed(), {});
  EXPECT_EQ(peak.replicas, 3);
  EXPECT_EQ(plan({LossKind::instances, 1}).gpus, 2 * 4);
  EXPECT_EQ(plan({LossKind::instances, 1}).held_at_slow_end, 1);
}

// The peak is 30 requests/s whatever is doubtful about the 20 that two instances carry.
TEST_F(InProportion, is_what_is_left_set_against_the_requests_that_come) {
  peak.times = 1.8;
  EXPECT_DOUBLE_EQ(plan({LossKind::instances, 1}).held, 1 / 3.0);
}

TEST_F(InProportion, is_nothing_added_where_enough_is_left) {
  peak.times = 0.5;
  peak.replicas = 1;
  const LossPlan one = plan({LossKind::instances, 1});
  EXPECT_EQ(one.gpus, 4);
  EXPECT_EQ(one.add_gpus, 0);
  EXPECT_FALSE(one.order.by_s);
}

// Two serve two of three regions: where one of them is lost, the other gets all of the load, of
// which it carries 10 of 30 requests/s.
TEST_F(InProportion, does_a_region_that_is_left_answer_what_it_can) {
  const LossPlan lost = plan({LossKind::regions, 3});
  EXPECT_EQ(lost.instances_left, 1);
  EXPECT_DOUBLE_EQ(lost.held, 10.0 / 30);
  EXPECT_DOUBLE_EQ(lost.stranded, (1 - lost.held) * 30 * request.history.cold_start_s);
}

TEST_F(InProportion, is_there_no_number_where_none_is_known_to_hold_the_peak) {
  peak.replicas = 0;
  EXPECT_EQ(plan({LossKind::zones, 3}).gpus, 0);
}

// M/G/1 queues that arrivals come to in turns; zones share them, and regions do not.
TEST(LossPlan, does_a_fleet_survive_and_one_with_an_instance_fewer_does_not) {
  SLOW_SANITIZED();
  const Served served = test::known_served();
  ForecastRequest request;
  Route only;
  only.requests_per_s = 300;
  only.prompt_tokens = 10'000;
  only.output_tokens = 1;
  request.forecast = {only};
  request.losses = {{LossKind::zones, 3}, {LossKind::regions, 3}};
  const Execution execution;
  HeadroomSheet headroom;
  headroom.forecast.emplace();
  headroom.forecast->line.factor = 1;
  headroom.forecast->probe.rate_rps = 300;
  const FewestFor fewest = fewest_by_tests(request, headroom, served, execution);
  const auto peak = loss_peak(headroom, nullptr, {}, served, fewest);
  ASSERT_TRUE(peak);
  const auto plans =
      plan_losses(request, *peak, served, fewest, held_by_tests(request, headroom, execution));
  ASSERT_TRUE(plans);
  const auto answer = [&](std::int64_t instances, double share) {
    std::vector<Flow> flows = flows_of(request.forecast);
    flows[0].requests_per_s *= share;
    return test_flows(served.with_replicas(instances), flows, request.load, execution)->answer;
  };
  const std::int64_t zones = plans->front().gpus;
  EXPECT_EQ(answer(zones - (zones + 2) / 3, 1), Answer::holds);
  EXPECT_NE(answer(zones - 1 - (zones + 1) / 3, 1), Answer::holds);
  const std::int64_t region = plans->back().gpus / 3;
  EXPECT_EQ(answer(region, 0.5), Answer::holds);
  EXPECT_NE(answer(region - 1, 0.5), Answer::holds);
  EXPECT_FALSE(plans->front().short_from_s);  // no history, no date
}

}  // namespace
}  // namespace plimsoll
