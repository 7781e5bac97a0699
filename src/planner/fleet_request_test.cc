// Requests of several models that share one fleet.
#include <gtest/gtest.h>

#include "planner/shared_fleet.h"

namespace plimsoll {
namespace {

TEST(FleetRequest, gives_each_model_what_stands_beside_the_list) {
  constexpr const char* kText = R"(
models:
- {name: a, model: m1, workload: {rate: 5}, constraints: {slo: chat, max_gpus: 3}}
- {model: m2, workload: {rate: 7}, config_space: {gpu_types: [L4]}}
constraints: {slo: batch, max_gpus: 8, spare_replicas: 1}
config_space: {gpu_types: [H100]}
)";
  const auto fleet = parse_fleet_request(kText, "fleet.yaml");
  ASSERT_TRUE(fleet && *fleet);
  EXPECT_EQ((*fleet)->names, (std::vector<std::string>{"a", "m2"}));
  EXPECT_EQ((*fleet)->common.max_gpus, 8);
  const PlanRequest& a = (*fleet)->models[0];
  const PlanRequest& b = (*fleet)->models[1];
  EXPECT_EQ(a.rate_rps, 5);
  EXPECT_EQ(a.max_gpus, 3);
  EXPECT_EQ(a.spare, 1);
  EXPECT_EQ(to_ms(a.slos.front().limit), 1000);
  EXPECT_EQ(to_ms(b.slos.front().limit), 5000);
  EXPECT_EQ(b.max_gpus, 8);
  EXPECT_EQ(a.space.gpus, (std::vector<std::string>{"H100"}));
  EXPECT_EQ(b.space.gpus, (std::vector<std::string>{"L4"}));
}

TEST(FleetRequest, adds_what_a_model_says_to_what_holds_for_all) {
  constexpr const char* kText = R"(
models:
- model: m1
  workload: {rate: 5}
  config_space: {tensor_parallel: [1]}
  economics: {api_price: {input: 1, output: 2}}
config_space: {gpu_types: [H100], schedulers: [vllm]}
economics: {price_file: prices.yaml, growth_per_minute: 10}
)";
  const auto fleet = parse_fleet_request(kText, "plans/fleet.yaml");
  ASSERT_TRUE(fleet && *fleet);
  const PlanRequest& model = (*fleet)->models.front();
  EXPECT_EQ(model.space.gpus, (std::vector<std::string>{"H100"}));
  EXPECT_EQ(model.space.batching_rules, (std::vector<std::string>{"vllm"}));
  EXPECT_EQ(model.space.tp, (std::vector<std::int64_t>{1}));
  EXPECT_EQ(model.economics.price_file, "plans/prices.yaml");
  EXPECT_DOUBLE_EQ(model.economics.growth_per_minute, 0.1);
  EXPECT_EQ(model.economics.api->usd_output, 2);
}

TEST(FleetRequest, is_none_for_one_model_and_refuses_what_has_no_answer) {
  EXPECT_FALSE(*parse_fleet_request("model: m", "r.yaml"));
  EXPECT_FALSE(*parse_fleet_request("models: [", "r.yaml"));  // for the plain reader to refuse
  for (const char* text : {"models: []", "models: [{model: m}]",
                           "{model: x, models: [{model: m, workload: {rate: 1}}]}",
                           "{objective: lowest-latency, models: [{model: m, workload: {rate: 1}}]}",
                           "models: [{model: m, workload: {rate: 1}}, {model: m, workload: {rate: "
                           "2}}]"}) {
    EXPECT_FALSE(parse_fleet_request(text, "r.yaml")) << text;
  }
}

}  // namespace
}  // namespace plimsoll
