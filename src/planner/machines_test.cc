#include "planner/machines.h"

#include <gtest/gtest.h>

#include <functional>
#include <limits>
#include <random>

namespace plimsoll {
namespace {

Price offer(std::int64_t gpus, double usd, const char* vendor = "one", const char* region = "") {
  Price price;
  price.vendor = vendor;
  price.region = region;
  price.commitment = kOnDemand;
  price.gpus = gpus;
  price.usd_per_hour = usd;
  return price;
}

double usd_of(const std::vector<BillLine>& lines) {
  double usd = 0;
  for (const BillLine& line : lines) usd += line.usd_per_hour();
  return usd;
}

// All numbers of machines of each kind.
double least_by_trial(const std::vector<Price>& offers, std::size_t at, std::int64_t gpus,
                      std::int64_t replicas) {
  if (replicas <= 0) return 0;
  if (at == offers.size()) return std::numeric_limits<double>::infinity();
  double least = std::numeric_limits<double>::infinity();
  for (std::int64_t held = 0;; ++held) {
    const double own =
        offers[at].usd_per_hour * static_cast<double>(machines_for(offers[at], gpus, held));
    least = std::min(least, own + least_by_trial(offers, at + 1, gpus, replicas - held));
    if (held >= replicas) return least;
  }
}

TEST(Machines, of_two_sizes_hold_a_fleet_for_less_than_either_alone) {
  const std::vector<Price> offers{offer(1, 4.2), offer(8, 30.6)};
  const std::vector<BillLine> nine = cheapest_machines(offers, kOnDemand, 1, 9);
  ASSERT_EQ(nine.size(), 2U);
  EXPECT_EQ(nine[0].price.gpus, 8);
  EXPECT_EQ(nine[0].replicas, 8);
  EXPECT_EQ(nine[1].replicas, 1);
  EXPECT_DOUBLE_EQ(usd_of(nine), 34.8);
  EXPECT_EQ(nine[0].idle_gpus + nine[1].idle_gpus, 0);
}

TEST(Machines, are_not_mixed_between_vendors_or_regions) {
  for (const Price& other : {offer(8, 30.6, "two"), offer(8, 30.6, "one", "east")}) {
    const std::vector<BillLine> nine = cheapest_machines({offer(1, 4.2), other}, kOnDemand, 1, 9);
    ASSERT_EQ(nine.size(), 1U);
    EXPECT_DOUBLE_EQ(usd_of(nine), 9 * 4.2);
  }
}

// Five machines of eight hold ten instances of four. Four small ones could hold the eleventh, but
// nothing joins them.
TEST(Machines, that_are_smaller_than_an_instance_are_no_part_of_a_mix) {
  const std::vector<BillLine> lines =
      cheapest_machines({offer(1, 3), offer(8, 16)}, kOnDemand, 4, 11);
  ASSERT_EQ(lines.size(), 1U);
  EXPECT_DOUBLE_EQ(usd_of(lines), 96);
}

TEST(Machines, that_are_alike_stay_where_a_mix_costs_no_less) {
  EXPECT_EQ(cheapest_machines({offer(1, 2), offer(8, 16)}, kOnDemand, 1, 9).size(), 1U);
  EXPECT_TRUE(cheapest_machines({offer(1, 2)}, kSpot, 1, 9).empty());
}

TEST(Machines, cost_what_trying_all_numbers_finds_and_hold_every_replica) {
  std::mt19937 random(5);
  const std::vector<std::int64_t> sizes{1, 2, 4, 8};
  for (int round = 0; round < 300; ++round) {
    std::vector<Price> offers;
    for (std::size_t i = 0; i < 1 + random() % 3; ++i) {
      const std::int64_t gpus = sizes[random() % sizes.size()];
      offers.push_back(
          offer(gpus, static_cast<double>(gpus) * (2 + 0.1 * static_cast<double>(random() % 20))));
    }
    const auto gpus = static_cast<std::int64_t>(1 + random() % 8);
    double before = 0;
    for (std::int64_t replicas = 1; replicas <= 24; ++replicas) {
      const std::vector<BillLine> lines = cheapest_machines(offers, kOnDemand, gpus, replicas);
      std::vector<Price> mixed = offers;
      std::erase_if(mixed, [&](const Price& price) { return price.gpus < gpus; });
      double least = least_by_trial(mixed, 0, gpus, replicas);
      for (const Price& price : offers)
        least = std::min(least, least_by_trial({price}, 0, gpus, replicas));
      EXPECT_NEAR(usd_of(lines), least, 1e-9);
      EXPECT_GE(usd_of(lines), before - 1e-9);
      before = usd_of(lines);
      std::int64_t held = 0;
      for (const BillLine& line : lines) {
        held += line.replicas;
        EXPECT_GE(line.idle_gpus, 0);
        EXPECT_EQ(line.instances, machines_for(line.price, gpus, line.replicas));
      }
      EXPECT_EQ(held, replicas);
    }
  }
}

TEST(Machines, of_a_large_fleet_are_those_of_a_small_one_and_more_of_the_cheapest) {
  const std::vector<Price> offers{offer(1, 4.2), offer(4, 15), offer(8, 30.6)};
  const double of_nine = usd_of(cheapest_machines(offers, kOnDemand, 1, 9));
  const double of_many = usd_of(cheapest_machines(offers, kOnDemand, 1, 9 + 4 * 1'000'000));
  EXPECT_NEAR(of_many, of_nine + 15e6, 1e-3);
}

}  // namespace
}  // namespace plimsoll
