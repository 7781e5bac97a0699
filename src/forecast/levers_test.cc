// What would help, at what cost, and whose cost it is.
#include "forecast/levers.h"

#include <algorithm>

#include <gtest/gtest.h>

#include "forecast/money.h"
#include "known_system.h"

namespace plimsoll {
namespace {

// 100 requests per second in all, of which an instance serves 100 of 10,000 prompt tokens.
constexpr const char* kBusy = R"(slo: ttft_mean<50ms
routes:
  chat: {requests_per_s: 90, prompt_tokens: 10000, output_tokens: 1, fallback_share: 0.5, fallback_to: strong}
  strong: {requests_per_s: 5, prompt_tokens: 10000, output_tokens: 1}
)";

ForecastRequest busy() { return *parse_forecast_request(kBusy, "f.yaml"); }

Served pool(std::int64_t instances) {
  Served served;
  served.system = test::single_servers("");
  served.system.load = nullptr;
  served.system.slos = busy().slos;
  served.system.deployment.num_instances = static_cast<std::int32_t>(instances);
  served.gpu = "H100";
  served.usd_per_gpu_hour = 2;
  return served;
}

TEST(Levers, apply_where_they_can_change_something) {
  const auto names = [](const Served& served) {
    std::vector<std::string> all;
    for (const Lever& lever : levers_for(busy(), served)) all.push_back(lever.name);
    return all;
  };
  const auto of_one = names(pool(1));
  EXPECT_EQ(std::ranges::count(of_one, "routing to the least loaded"), 0);
  EXPECT_EQ(std::ranges::count(of_one, "TP 2 on the same GPUs"), 0);
  const auto of_four = names(pool(4));
  EXPECT_EQ(std::ranges::count(of_four, "routing to the least loaded"), 1);
  EXPECT_EQ(std::ranges::count(of_four, "routing by prefix"), 0);  // nothing is cached
  EXPECT_EQ(std::ranges::count(of_four, "TP 2 on the same GPUs"), 1);
}

TEST(Levers, are_called_for_by_load_gpus_or_money) {
  HeadroomSheet sheet;
  sheet.forecast.emplace();
  sheet.forecast->line.factor = 1.2;
  EXPECT_TRUE(is_tight(sheet));
  sheet.forecast->line.factor = 3;
  EXPECT_FALSE(is_tight(sheet));
  SheetRow row;
  row.forecast_p95 = 90;
  row.capacity = 100;
  for (const auto& [resource, can_change] : {std::pair{Resource::gpus, true},
                                             {Resource::budget, true},
                                             {Resource::provider_requests, false}}) {
    row.resource = resource;
    sheet.rows = {row};
    EXPECT_EQ(is_tight(sheet), can_change) << facts_of(resource).name;
  }
  sheet.rows.front().resource = Resource::budget;
  sheet.rows.front().capacity = 200;
  EXPECT_FALSE(is_tight(sheet));
}

TEST(Levers, are_ranked_by_what_a_dollar_gains) {
  const ForecastRequest request = busy();
  HeadroomSheet sheet;
  sheet.forecast.emplace();
  sheet.forecast->line.factor = 0.7;
  sheet.forecast->line.is_known = true;
  // Of all flags only one more instance does something.
  const Serve serve = [](const std::vector<std::string>& flags) -> Result<Served> {
    if (flags.front() == "--num-instances=2") return pool(2);
    if (flags.front().starts_with("--max-num-seqs")) return pool(1);
    return fail(ErrorKind::usage, "not here");
  };
  const auto levers = try_levers(request, pool(1), sheet, serve, Execution{});
  ASSERT_TRUE(levers);
  ASSERT_EQ(levers->size(), 3U);
  EXPECT_EQ((*levers)[0].lever.name, "1 instance more");
  EXPECT_GT((*levers)[0].more, 0.4);
  EXPECT_DOUBLE_EQ(*(*levers)[0].usd_per_month, 2 * 730);
  // What is not held can be turned away; that is the pressure it creates.
  const auto limit = std::ranges::find(*levers, "turn away what is not held",
                                       [](const LeverResult& l) { return l.lever.name; });
  ASSERT_NE(limit, levers->end());
  EXPECT_EQ(limit->worse.front().what, "turned away %");
  EXPECT_NEAR(limit->worse.front().after, 30, 1e-9);
}

TEST(Money, is_what_a_fallback_costs_the_cost_of_the_route_that_falls_back) {
  ForecastRequest request = busy();
  const auto costs = route_costs(request, pool(2));
  ASSERT_EQ(costs.size(), 2U);
  // Of 140 attempts chat makes 135, of the same tokens; two GPUs cost $4 an hour.
  const double usd_per_s = 4.0 / 3600;
  EXPECT_NEAR(costs[0].usd_per_1k_requests, 1000 * usd_per_s * 135 / 140 / 90, 1e-9);
  EXPECT_NEAR(costs[1].usd_per_1k_requests, 1000 * usd_per_s * 5 / 140 / 5, 1e-9);
}

TEST(TokenLoad, has_its_true_rate_whatever_grows) {
  const auto flows = flows_of(busy().forecast);
  EXPECT_EQ(token_load(flows, LoadGrowth::rate, {})(50, 10)->rate_rps, 50);
  EXPECT_EQ(token_load(flows, LoadGrowth::answers, {})(2, 10)->rate_rps, 140);
}

}  // namespace
}  // namespace plimsoll
