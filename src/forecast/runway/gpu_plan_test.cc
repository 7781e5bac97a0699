#include "forecast/runway/gpu_plan.h"

#include <cmath>

#include <gtest/gtest.h>

#include "known_served.h"
#include "slow_sanitized.h"

namespace plimsoll {
namespace {

constexpr std::size_t kMiddle = 3;  // of kBandPercents

/// Certain demand of so much at each step.
Outlook certain(const std::vector<double>& demand) {
  Outlook outlook;
  for (const double value : demand) {
    outlook.point.push_back(value);
    BandQuantiles band{};
    band.fill(value);
    outlook.bands.push_back(band);
  }
  outlook.paths = {demand};
  return outlook;
}

Served two_of_two_gpus() {
  Served served;
  served.system.deployment.main().num_instances = 2;
  served.system.deployment.main().gpus = 2;
  served.usd_per_gpu_hour = 1;
  return served;
}

Result<std::int64_t> in_proportion(double times, std::int64_t /*guess*/) {
  return static_cast<std::int64_t>(std::ceil(2 * times));
}

// As those deployed are.
Result<std::optional<Interval>> as_known(double /*times*/) { return std::nullopt; }

TEST(GpuPlan, is_it_whole_instances_for_the_load_that_asks_for_the_most) {
  const Outlook requests = certain({10, 18, 26, 34});
  const LoadAhead load{&requests, 20};  // two instances carry 20 requests/s
  const auto plan = plan_gpus(std::span(&load, 1), two_of_two_gpus(), in_proportion, as_known);
  ASSERT_TRUE(plan);
  EXPECT_EQ(plan->most[kMiddle], 8);
  EXPECT_EQ(plan->add_gpus, 4);
  EXPECT_DOUBLE_EQ(*plan->add_usd_per_month, 4 * 730.0);
  std::vector<std::int64_t> by_step;
  for (const GpuNeed& step : plan->steps) by_step.push_back(step.gpus[kMiddle]);
  EXPECT_EQ(by_step, (std::vector<std::int64_t>{2, 4, 6, 8}));
  const LoadAhead both[]{load, {&requests, 10}};
  EXPECT_EQ(plan_gpus(both, two_of_two_gpus(), in_proportion, as_known)->most[kMiddle], 14);
}

// A weekend of nothing takes no test, and one instance.
TEST(GpuPlan, is_it_one_instance_where_nothing_comes) {
  const Outlook requests = certain({0, 0});
  const LoadAhead load{&requests, 20};
  const FewestFor fewest = [](double times, std::int64_t) -> Result<std::int64_t> {
    EXPECT_GT(times, 0);
    return 0;
  };
  const auto plan = plan_gpus(std::span(&load, 1), two_of_two_gpus(), fewest, as_known);
  ASSERT_TRUE(plan);
  EXPECT_EQ(plan->most[kMiddle], 2);
  EXPECT_EQ(plan->add_gpus, 0);
}

// Many share bursts better than few: five carry what six would in proportion.
TEST(GpuPlan, is_it_what_tests_find_and_not_what_is_in_proportion) {
  const Outlook requests = certain({10, 40, 60});
  const LoadAhead load{&requests, 20};
  const FewestFor fewest = [](double times, std::int64_t guess) -> Result<std::int64_t> {
    EXPECT_EQ(guess, std::llround(std::ceil(2 * times)));
    return guess > 4 ? guess - 1 : guess;
  };
  const auto plan = plan_gpus(std::span(&load, 1), two_of_two_gpus(), fewest, as_known);
  ASSERT_TRUE(plan);
  EXPECT_EQ(plan->most[kMiddle], 10);
  EXPECT_EQ(plan->steps[2].gpus[kMiddle], 10);
  EXPECT_EQ(plan->steps[1].gpus[kMiddle], 8);
}

Served one_of_two_gpus() {
  Served served = two_of_two_gpus();
  served.system.deployment.main().num_instances = 1;
  return served;
}

Result<std::int64_t> one_for_each(double times, std::int64_t /*guess*/) {
  return static_cast<std::int64_t>(std::ceil(times));
}

// Of one instance a quarter may be all that it carries; of many, half. The plan goes by the many.
TEST(GpuPlan, is_the_model_s_error_that_of_as_many_as_are_needed) {
  Outlook requests = certain({30});
  requests.paths.assign(1000, {30});
  const LoadAhead load{&requests, 10, Interval{2.5, 16}};
  const KnownShare of_many = [](double times) -> Result<std::optional<Interval>> {
    EXPECT_DOUBLE_EQ(times, 3);
    return Interval{0.5, 1.6};
  };
  const auto alone = plan_gpus(std::span(&load, 1), one_of_two_gpus(), one_for_each, as_known);
  const auto plan = plan_gpus(std::span(&load, 1), one_of_two_gpus(), one_for_each, of_many);
  ASSERT_TRUE(alone && plan);
  EXPECT_EQ(alone->most.back() / 2, 12);  // 3 / 0.25
  EXPECT_EQ(plan->most.back() / 2, 6);    // 3 / 0.5
}

// One instance of which the error is known carries the load: none is added for that of more.
TEST(GpuPlan, do_those_deployed_stay_enough_where_they_are_known_to_be) {
  Outlook requests = certain({9});
  requests.paths.assign(1000, {9});
  const LoadAhead load{&requests, 10, Interval{9.5, 11}};
  const KnownShare wide = [](double) -> Result<std::optional<Interval>> {
    return Interval{0.25, 4};
  };
  const auto plan = plan_gpus(std::span(&load, 1), one_of_two_gpus(), one_for_each, wide);
  ASSERT_TRUE(plan);
  EXPECT_EQ(plan->add_gpus, 0);
}

TEST(GpuPlan, is_there_none_where_no_number_of_instances_holds_the_demand) {
  const Outlook requests = certain({10});
  const LoadAhead load{&requests, 20};
  const auto plan = plan_gpus(
      std::span(&load, 1), two_of_two_gpus(),
      [](double, std::int64_t) -> Result<std::int64_t> { return 0; }, as_known);
  ASSERT_TRUE(plan);
  EXPECT_TRUE(plan->steps.empty());
  EXPECT_EQ(plan->add_gpus, 0);
}

// M/G/1 queues that arrivals come to in turns: one more or fewer fails or is not needed, whatever
// the instances deployed carry each.
TEST(GpuPlan, do_the_instances_found_hold_the_load_and_one_fewer_does_not) {
  SLOW_SANITIZED();
  const Served served = test::known_served();
  ForecastRequest request;
  Route only;
  only.requests_per_s = 100;
  only.prompt_tokens = 10'000;
  only.output_tokens = 1;
  request.forecast = {only};
  const Execution execution;
  HeadroomSheet headroom;
  headroom.forecast.emplace();
  headroom.forecast->line.factor = 1;
  const FewestFor fewest = fewest_by_tests(request, headroom, served, execution);
  for (const double times : {3.0, 7.7}) {
    const auto found = fewest(times, 3);
    ASSERT_TRUE(found);
    std::vector<Flow> flows = flows_of(request.forecast);
    flows[0].requests_per_s *= times;
    const auto answer = [&](std::int64_t instances) {
      return test_flows(served.with_replicas(instances), flows, request.load, execution)->answer;
    };
    EXPECT_EQ(answer(*found), Answer::holds);
    EXPECT_NE(answer(*found - 1), Answer::holds);
  }
}

}  // namespace
}  // namespace plimsoll
