#include "planner/purchase.h"

#include <gtest/gtest.h>

#include <cmath>

namespace plimsoll {
namespace {

Price offer(const char* commitment, std::int64_t gpus, double usd) {
  Price price;
  price.gpu = "H100";
  price.commitment = commitment;
  price.gpus = gpus;
  price.usd_per_hour = usd;
  return price;
}

const std::vector<Price> kOffers{offer(kOnDemand, 1, 3), offer(kOnDemand, 8, 16),
                                 offer("reserved-1-year", 8, 12), offer(kSpot, 1, 1)};

Purchase purchase_of(const char* text, double loss = 0) {
  return *parse_purchase("test", text, loss);
}

TEST(Purchase, takes_the_shape_that_is_cheapest_for_so_many_and_buys_it_whole) {
  const Bill few = bill_of(kOffers, {}, 2, {FleetSize{.needed = 2}});
  EXPECT_DOUBLE_EQ(few.usd_per_hour(), 12);  // four by the piece
  EXPECT_EQ(few.idle_gpus(), 0);
  const Bill many = bill_of(kOffers, {}, 2, {FleetSize{.needed = 3}});
  EXPECT_DOUBLE_EQ(many.usd_per_hour(), 16);  // six by the piece would be 18
  EXPECT_EQ(many.idle_gpus(), 2);
}

TEST(Purchase, says_what_replicas_cost_on_demand_as_a_plan_without_a_purchase_does) {
  for (const std::int64_t replicas : {1, 3, 8}) {
    EXPECT_EQ(on_demand_bill(kOffers, 2, replicas).usd_per_hour(),
              bill_of(kOffers, {}, 2, {FleetSize{.needed = replicas}}).usd_per_hour());
  }
  EXPECT_TRUE(on_demand_bill({}, 2, 1).lines.empty());
}

TEST(Purchase, never_splits_a_replica_between_instances_that_could_hold_it) {
  const std::vector<Price> eights{offer(kOnDemand, 8, 16)};
  EXPECT_EQ(bill_of(eights, {}, 3, {FleetSize{.needed = 3}}).lines.front().instances, 2);
  EXPECT_EQ(bill_of(eights, {}, 3, {FleetSize{.needed = 3}}).idle_gpus(), 7);
  EXPECT_EQ(bill_of(eights, {}, 16, {FleetSize{.needed = 3}}).lines.front().instances, 6);
}

TEST(Purchase, keeps_the_load_served_when_the_share_of_spot_is_lost) {
  Economics economics;
  for (const double loss : {0.1, 0.25, 0.3, 0.5, 0.9}) {
    economics.purchase = purchase_of("on-demand=40,spot=60", loss);
    for (std::int64_t needed = 1; needed < 60; ++needed) {
      const FleetSize fleet = fleet_size(economics, needed, 0, 0);
      const auto bought = static_cast<double>(split_of(economics.purchase, needed)[1] + fleet.spot);
      const auto left_of = [&](double n) { return std::floor(n * (1 - loss) + 1e-9); };
      EXPECT_GE(left_of(bought) - bought + static_cast<double>(fleet.spot), 0) << needed;
      if (fleet.spot > 0) {
        EXPECT_LT(left_of(bought - 1), bought - static_cast<double>(fleet.spot)) << needed;
      }
    }
  }
}

// Of a split either pool may lose its spot instances; of one instance each, none is spot.
TEST(Purchase, keeps_each_pool_of_a_split_served_when_the_share_of_spot_is_lost) {
  Economics economics;
  for (const double loss : {0.25, 0.5, 0.9}) {
    economics.purchase = purchase_of("on-demand=50,spot=50", loss);
    for (const auto& [decode, prefill] : {std::pair{1, 1}, {1, 3}, {2, 1}}) {
      for (std::int64_t needed = 1; needed < 20; ++needed) {
        const FleetSize fleet = fleet_size(economics, needed, 0, 0, {decode, prefill});
        std::vector<FleetSize> pools;
        std::int64_t bought = 0;
        for (const std::int64_t of_a_replica : {decode, prefill}) {
          pools.push_back({needed * of_a_replica, 0, fleet.spot * of_a_replica, 0});
          const std::int64_t spot =
              split_of(economics.purchase, pools.back().needed)[1] + pools.back().spot;
          const double left = static_cast<double>(pools.back().all()) -
                              std::ceil(static_cast<double>(spot) * loss - 1e-9);
          EXPECT_GE(left, pools.back().needed) << needed;
          bought += pools.back().all();
        }
        const Bill bill = bill_of(kOffers, economics.purchase, 1, pools);
        std::int64_t billed = 0;
        for (const BillLine& line : bill.lines) billed += line.replicas;
        EXPECT_EQ(billed, bought);
      }
    }
    const FleetSize one_each = fleet_size(economics, 1, 0, 0, {1, 1});
    EXPECT_EQ(one_each.spot, 0);
    const Bill bill = bill_of(kOffers, economics.purchase, 1, {one_each, one_each});
    EXPECT_EQ(bill.lines.front().price.commitment, kOnDemand);
    EXPECT_EQ(bill.lines.size(), 1u);
  }
}

TEST(Purchase, never_costs_less_for_more_replicas) {
  for (const char* text :
       {"on-demand=100", "on-demand=50,1-year=30,spot=20", "1-year=70,spot=30"}) {
    Economics economics;
    economics.purchase = purchase_of(text, 0.25);
    economics.growth_per_minute = 0.1;
    double before = 0;
    for (std::int64_t needed = 1; needed < 100; ++needed) {
      const FleetSize fleet = fleet_size(economics, needed, 1, 150);
      const Bill bill = bill_of(kOffers, economics.purchase, 2, {fleet});
      EXPECT_GE(bill.usd_per_hour(), before) << text << " " << needed;
      before = bill.usd_per_hour();
      std::int64_t bought = 0;
      for (const BillLine& line : bill.lines) bought += line.replicas;
      EXPECT_EQ(bought, fleet.all());
    }
  }
}

TEST(Purchase, keeps_warm_what_grows_while_a_replica_starts) {
  Economics economics;
  economics.growth_per_minute = 0.1;
  EXPECT_EQ(fleet_size(economics, 10, 0, 120).warm, 2);
  EXPECT_EQ(fleet_size(economics, 10, 0, 121).warm, 3);
  EXPECT_EQ(fleet_size(economics, 1, 0, 1).warm, 1);
  EXPECT_DOUBLE_EQ(assumed_cold_start_s(16e9), 122);
}

TEST(Purchase, is_the_same_in_any_order_of_its_parts) {
  const Purchase one = purchase_of("spot=50,on-demand=50", 0.5);
  const Purchase other = purchase_of("on-demand=50,spot=50", 0.5);
  for (std::int64_t needed = 1; needed < 9; ++needed)
    EXPECT_EQ(split_of(one, needed), split_of(other, needed));
}

TEST(Purchase, names_what_nobody_offers) {
  using Kinds = std::vector<std::string>;
  EXPECT_EQ(missing_offers(kOffers, purchase_of("3-years=100"), false), Kinds{"reserved-3-years"});
  EXPECT_EQ(missing_offers({kOffers[3]}, purchase_of("spot=100"), false), Kinds{});
  EXPECT_EQ(missing_offers({kOffers[3]}, purchase_of("spot=100"), true), Kinds{kOnDemand});
  EXPECT_EQ(missing_offers({kOffers[3]}, purchase_of("on-demand=20,spot=40,3-years=40"), true),
            (Kinds{kOnDemand, "reserved-3-years"}));
  EXPECT_TRUE(bill_of({kOffers[3]}, purchase_of("1-year=100"), 1, {FleetSize{}}).lines.empty());
}

TEST(Purchase, refuses_what_is_not_a_whole) {
  EXPECT_FALSE(parse_purchase("test", "on-demand=50", std::nullopt));
  EXPECT_FALSE(parse_purchase("test", "spot=100", std::nullopt));  // how much may be lost?
  EXPECT_FALSE(parse_purchase("test", "spt=100", 0.1));
  EXPECT_FALSE(parse_purchase("test", "spot=50,spot=50", 0.1));
  EXPECT_FALSE(parse_api_price("test", "0.15"));
  EXPECT_FALSE(parse_api_price("test", "0.15,-1"));
  EXPECT_EQ(parse_api_price("test", "0.15,0.6")->usd_output, 0.6);
}

}  // namespace
}  // namespace plimsoll
