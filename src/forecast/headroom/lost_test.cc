// What does a loss leave of one pool, and of several?
#include "forecast/headroom/lost.h"

#include <gtest/gtest.h>

#include "known_served.h"

namespace plimsoll {
namespace {

std::vector<Flow> some_flow() {
  Flow flow;
  flow.requests_per_s = 10;
  flow.prompt_tokens = 1'000;
  flow.output_tokens = 1;
  return {flow};
}

Left left(const Loss& loss, const Served& served) {
  return left_after(loss, served, some_flow(), TokenLoadOptions());
}

Served of_pools(std::int32_t first, std::int32_t second, PoolRole role) {
  Served served = test::known_served();
  std::vector<Pool>& pools = served.system.deployment.pools;
  pools.push_back(pools.front());
  pools.front().role = role;
  pools.front().num_instances = first;
  pools.back().num_instances = second;
  return served;
}

TEST(LeftAfter, counts_the_instances_of_a_single_pool) {
  Served served = test::known_served();
  served.system.deployment.main().num_instances = 7;
  const auto instances = [&](const Loss& loss) {
    return left(loss, served).served->system.deployment.num_instances();
  };
  EXPECT_EQ(instances({LossKind::instances, 2}), 5);
  EXPECT_EQ(instances({LossKind::zones, 3}), 4);
  EXPECT_EQ(instances({LossKind::regions, 3}), 2);
  EXPECT_DOUBLE_EQ(left({LossKind::instances, 2}, served).share, 5.0 / 7);
  EXPECT_FALSE(left({LossKind::instances, 7}, served).served);
}

// Five in three regions are 2, 2 and 1, of which one with two is lost.
TEST(PartsAfter, are_the_regions_that_are_left_where_a_largest_one_is_lost) {
  const auto parts = [&](std::int32_t instances, std::int64_t regions) {
    Served served = test::known_served();
    served.system.deployment.main().num_instances = instances;
    std::vector<std::pair<std::int64_t, std::int64_t>> sizes;
    for (const LeftParts& p : parts_after({LossKind::regions, regions}, served, some_flow(), {}))
      sizes.emplace_back(p.count,
                         p.each.served ? p.each.served->system.deployment.num_instances() : 0);
    return sizes;
  };
  using Sizes = std::vector<std::pair<std::int64_t, std::int64_t>>;
  EXPECT_EQ(parts(5, 3), (Sizes{{1, 2}, {1, 1}}));
  EXPECT_EQ(parts(6, 3), (Sizes{{2, 2}}));
  EXPECT_EQ(parts(2, 3), (Sizes{{1, 1}})) << "one region has none, before and after";
  EXPECT_EQ(parts(1, 3), Sizes{});
}

// A prompt takes the instances for prefill all of the time, and those for decode hardly any.
TEST(LeftAfter, takes_an_instance_of_the_pool_that_is_short) {
  const Served served = of_pools(2, 4, PoolRole::prefill);
  const Left after = left({LossKind::instances, 1}, served);
  EXPECT_EQ(after.served->system.deployment.pools.front().num_instances, 1);
  EXPECT_EQ(after.served->system.deployment.pools.back().num_instances, 4);
  EXPECT_DOUBLE_EQ(after.share, 0.5);
  EXPECT_FALSE(left({LossKind::instances, 2}, served).served);
}

TEST(LeftAfter, takes_from_each_pool_its_part_of_a_zone_and_of_a_region) {
  const Served served = of_pools(3, 5, PoolRole::prefill);
  const auto sizes = [&](const Loss& loss) {
    const std::vector<Pool> pools = left(loss, served).served->system.deployment.pools;
    return std::pair(pools.front().num_instances, pools.back().num_instances);
  };
  EXPECT_EQ(sizes({LossKind::zones, 3}), std::pair(2, 3));
  EXPECT_EQ(sizes({LossKind::regions, 2}), std::pair(1, 2));
  EXPECT_FALSE(left({LossKind::regions, 4}, served).served);
}

TEST(LeftAfter, leaves_those_that_serve_where_a_pool_beside_them_is_gone) {
  const Served served = of_pools(1, 2, PoolRole::serve);
  const Left after = left({LossKind::instances, 2}, served);
  EXPECT_EQ(after.served->system.deployment.num_instances(), 1);
  EXPECT_EQ(after.served->system.deployment.pools.size(), 1U);
}

}  // namespace
}  // namespace plimsoll
