// Are the fewest groups of several pools those that testing one number after the other finds?
#include <gtest/gtest.h>

#include <cstdint>
#include <utility>

#include "plan_spaces.h"
#include "planner/capacity.h"
#include "slow_sanitized.h"

namespace plimsoll {
namespace {

using test::Draw;

/// Prefill and decode apart, or two GPU types side by side, in some proportion.
Deployment drawn_pools(Draw* draw, const TokenShape& shape) {
  const test::FakeGpu fast{"a", draw->between(1000, 4000), draw->between(10, 80), 1};
  const test::FakeGpu slow{"b", draw->between(1000, 4000), draw->between(10, 80), 1};
  Deployment deployment;
  Pool& pool = deployment.main();
  pool.engine.total_kv_blocks = 4'000;
  pool.engine.max_num_seqs = draw->one_of<std::int64_t>({8, 64});
  pool.step_time = test::steps_of(fast, 1);
  deployment.router = draw->one_of<std::string>({"round-robin", "least-loaded"});
  const std::int64_t first = 1 + draw->below(2);
  const std::int64_t second = 1 + draw->below(3);
  const double kv_bytes = draw->one_of<double>({1e2, 1e5});
  deployment.pools = test::pools_of(pool, first, second, kv_bytes);
  deployment.pools.back().step_time = test::steps_of(slow, 1);
  deployment.pools.back().ranks = 1 + draw->below(2);
  if (draw->below(2) == 0) {
    for (Pool& serving : deployment.pools) serving.role = PoolRole::serve;
  }
  test::set_speeds(shape, &deployment);
  return deployment;
}

TEST(Groups, are_the_fewest_those_of_a_search_one_by_one) {
  SLOW_SANITIZED();
  const ProbeEffort effort{.most_requests = 30'000};
  int compared = 0;
  for (std::uint64_t seed = 1; seed <= 12; ++seed) {
    Draw draw(seed);
    ProbedSystem system;
    system.load = test::traffic;
    system.semantics = Semantics::of(SemanticsMode::vllm);
    system.slos = *parse_slos("test", "ttft_p90<60ms");
    const TokenShape shape = *token_shape(system.load);
    Deployment deployment = drawn_pools(&draw, shape);
    const std::int64_t groups = groups_of(deployment);
    const std::int64_t group = deployment.num_instances() / groups;
    system.deployment = resized(std::move(deployment), static_cast<std::int32_t>(group));
    const CapacityEstimate estimate = estimate_replica(system.deployment, shape);
    const double rate = estimate.rate_rps * draw.between(0.3, 3.5);
    MinimumSearchOptions search;
    search.guess = 1 + draw.below(4);
    search.most = 64;
    search.instances = group;
    const auto found =
        fewest_instances(system, rate, alone_rps(estimate), search, effort, {.threads = 2});
    ASSERT_TRUE(found) << seed;
    EXPECT_EQ(found->group, group);
    Answer last = Answer::unclear;
    std::int64_t fewest = 0;
    bool is_clear = true;
    while (fewest < search.most && last != Answer::holds) {
      fewest += 1;
      ProbedSystem tried = system;
      tried.deployment = resized(tried.deployment, static_cast<std::int32_t>(fewest * group));
      last = probe_load(tried, rate, effort)->answer;
      is_clear = is_clear && last != Answer::unclear;
    }
    if (last != Answer::holds) {
      EXPECT_EQ(found->instances, 0) << seed;
      continue;
    }
    if (!is_clear) continue;
    compared += 1;
    EXPECT_EQ(found->instances, fewest) << seed;
    ASSERT_NE(found->of(fewest), nullptr) << seed;
    EXPECT_EQ(found->of(fewest)->instances, fewest * group) << seed;
  }
  EXPECT_GE(compared, 6);
}

TEST(Groups, are_the_smallest_whole_number_of_each_pool) {
  Deployment deployment;
  deployment.pools = test::pools_of({}, 4, 6, 1);
  EXPECT_EQ(groups_of(deployment), 2);
  deployment.pools.push_back(deployment.pools.back());
  deployment.pools.back().num_instances = 3;
  EXPECT_EQ(groups_of(deployment), 1);
  deployment.pools.resize(1);
  EXPECT_EQ(groups_of(deployment), 4);
}

}  // namespace
}  // namespace plimsoll
