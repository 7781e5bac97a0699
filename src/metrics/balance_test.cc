#include "metrics/fairness.h"

#include <gtest/gtest.h>

namespace plimsoll {
namespace {

RunRecord routed(const std::vector<int>& per_instance) {
  RunRecord record;
  record.instances.resize(per_instance.size());
  for (std::size_t i = 0; i < per_instance.size(); ++i) {
    record.requests.instance.insert(record.requests.instance.end(),
                                    static_cast<std::size_t>(per_instance[i]),
                                    static_cast<std::int32_t>(i));
  }
  record.requests.instance.push_back(-1);  // never routed
  return record;
}

TEST(Balance, of_an_even_spread_is_one) {
  const Balance b = balance_of(routed({50, 50, 50, 50}));
  EXPECT_EQ(b.routed, 200);
  EXPECT_EQ(b.max_over_mean, 1);
  EXPECT_EQ(b.jain, 1);
  EXPECT_FALSE(b.concentrated);
}

TEST(Balance, of_all_to_one_of_eight) {
  const Balance b = balance_of(routed({0, 0, 0, 1000, 0, 0, 0, 0}));
  EXPECT_EQ(b.busiest, 3u);
  EXPECT_EQ(b.busiest_share, 1);
  EXPECT_EQ(b.max_over_mean, 8);
  EXPECT_EQ(b.jain, 0.125);
  EXPECT_TRUE(b.concentrated);
  EXPECT_EQ(concentration_text(b, 8),
            "instance_3 got 100 % of 1,000 requests, 8.00 times an even share of 8 instances (Jain "
            "index 0.125; 1 is even): the routing policy concentrates this traffic");
}

TEST(Balance, by_hand) {
  const Balance b = balance_of(routed({60, 30, 10}));  // 100^2 / (3 x (3600 + 900 + 100))
  EXPECT_DOUBLE_EQ(b.jain, 10000.0 / 13800);
  EXPECT_DOUBLE_EQ(b.max_over_mean, 1.8);
  EXPECT_TRUE(b.concentrated);
}

TEST(Balance, says_nothing_of_few_requests_or_one_instance) {
  EXPECT_FALSE(balance_of(routed({19, 0})).concentrated);
  EXPECT_TRUE(balance_of(routed({20, 0})).concentrated);
  EXPECT_FALSE(balance_of(routed({1000})).concentrated);
  EXPECT_EQ(balance_of(routed({0, 0})).jain, 1);
}

}  // namespace
}  // namespace plimsoll
