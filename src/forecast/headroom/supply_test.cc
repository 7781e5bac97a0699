// Do several pools count as what they are together?
#include "forecast/headroom/supply.h"

#include <gtest/gtest.h>

#include "known_served.h"
#include "slow_sanitized.h"

namespace plimsoll {
namespace {

Served alike(std::int32_t instances) {
  Served served = test::known_served();
  served.system.deployment.main().num_instances = instances;
  return served;
}

// The same instances under two names, a third of them in the first.
Served two_pools(std::int32_t instances) {
  Served served = alike(instances / 3);
  std::vector<Pool>& pools = served.system.deployment.pools;
  pools.front().name = "old";
  pools.push_back(pools.front());
  pools.back().name = "new";
  pools.back().num_instances = instances - instances / 3;
  return served;
}

std::vector<Flow> flows(double requests_per_s) {
  Flow flow;
  flow.requests_per_s = requests_per_s;
  flow.prompt_tokens = 10'000;
  flow.output_tokens = 1;
  return {flow};
}

TEST(Served, counts_pools_in_the_smallest_whole_number_of_each) {
  Served served = two_pools(12);
  served.system.deployment.pools.back().gpus = 2;
  EXPECT_EQ(served.replicas(), 4);
  EXPECT_EQ(served.instances_per_replica(), 3);
  EXPECT_EQ(served.gpus(), 4 + 2 * 8);
  EXPECT_EQ(served.gpus_per_replica(), 5);
  const Served more = served.with_replicas(5);
  EXPECT_EQ(more.system.deployment.pools.front().num_instances, 5);
  EXPECT_EQ(more.system.deployment.pools.back().num_instances, 10);
  EXPECT_EQ(served.with_replicas(0).replicas(), 1);
  EXPECT_EQ(alike(12).replicas(), 12);
  EXPECT_EQ(alike(12).instances_per_replica(), 1);
}

TEST(Served, has_the_caches_of_all_pools_and_the_context_of_the_shortest) {
  Served served = two_pools(3);
  EXPECT_EQ(served.kv_tokens(), alike(3).kv_tokens());
  EngineConfig& second = served.system.deployment.pools.back().engine;
  second.max_model_len = 4'096;
  EXPECT_EQ(served.context_tokens(), 4'096);
}

TEST(Served, holds_in_pools_that_are_alike_what_one_pool_holds) {
  SLOW_SANITIZED();
  const TokenLoadOptions options;
  const Line one = *find_line(alike(6), flows(300), LoadGrowth::rate, options, {});
  const Line two = *find_line(two_pools(6), flows(300), LoadGrowth::rate, options, {});
  EXPECT_GT(one.factor, 1);
  EXPECT_EQ(two.factor, one.factor);
}

TEST(Served, needs_whole_replicas) {
  SLOW_SANITIZED();
  const TokenLoadOptions options;
  for (const double rate : {150.0, 300.0, 420.0}) {
    const std::int64_t needed = *fewest_for(alike(3), flows(rate), options, 3, {});
    EXPECT_GE(needed, 2);
    EXPECT_EQ(*fewest_for(two_pools(3), flows(rate), options, 1, {}), (needed + 2) / 3) << rate;
  }
}

}  // namespace
}  // namespace plimsoll
