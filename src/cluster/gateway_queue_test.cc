#include "cluster/gateway_queue.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace plimsoll {
namespace {

struct Gateway {
  explicit Gateway(const FlowControl& rules, const Semantics& semantics = Semantics::vllm())
      : queue(rules, SloPriorities(), semantics) {}

  GatewayQueue::Entry enter(int row, SloClass slo_class, const std::string& tenant = "",
                            double at_ms = 0, Duration slo_target = {}) {
    Request request;
    request.slo_class = slo_class;
    return queue.enter(request, static_cast<std::uint32_t>(row),
                       Time{} + microseconds(static_cast<std::int64_t>(at_ms * 1000)), tenant,
                       slo_target);
  }

  // Order in the order in which they go while the saturation allows it.
  std::vector<int> drain(double saturation = 0) {
    std::vector<int> rows;
    while (const auto waiting = queue.dispatch(saturation)) {
      rows.push_back(static_cast<int>(waiting->row));
    }
    return rows;
  }

  GatewayQueue queue;
};

using Order = std::vector<int>;

TEST(GatewayQueue, does_fifo_keep_the_order_of_entry_over_classes_and_tenants) {
  Gateway gateway({});
  gateway.enter(0, SloClass::background, "b");
  gateway.enter(1, SloClass::critical, "a");
  gateway.enter(2, SloClass::unset, "b");
  EXPECT_EQ(gateway.drain(), (Order{0, 1, 2}));
}

TEST(GatewayQueue, does_the_reference_s_fifo_go_by_band) {
  Gateway gateway({}, Semantics::blis());
  gateway.enter(0, SloClass::background);
  gateway.enter(1, SloClass::critical);
  gateway.enter(2, SloClass::unset);
  EXPECT_EQ(gateway.drain(), (Order{1, 2, 0}));
}

TEST(GatewayQueue, does_priority_order_serve_the_urgent_class_first_and_entry_within_it) {
  FlowControl rules;
  rules.order = "priority";
  Gateway gateway(rules);
  gateway.enter(0, SloClass::batch);
  gateway.enter(1, SloClass::standard, "y");
  gateway.enter(2, SloClass::unset, "x");  // as urgent as standard
  gateway.enter(3, SloClass::critical);
  EXPECT_EQ(gateway.drain(), (Order{3, 1, 2, 0}));
}

TEST(GatewayQueue, does_deadline_order_prefer_the_request_s_own_target_to_that_of_its_class) {
  FlowControl rules;
  rules.order = "slo-deadline";
  std::array<Duration, kSloClasses> targets{};
  targets[static_cast<std::size_t>(SloClass::standard)] = milliseconds(100);
  rules.slo_targets = targets;
  Gateway gateway(rules);
  gateway.enter(0, SloClass::standard, "t", 0);                     // due at 100
  gateway.enter(1, SloClass::standard, "t", 10, milliseconds(50));  // due at 60
  gateway.enter(2, SloClass::standard, "t", 20, milliseconds(80));  // due at 100, entered later
  EXPECT_EQ(gateway.drain(), (Order{1, 0, 2}));
}

TEST(GatewayQueue, does_round_robin_take_tenants_by_name_in_turn) {
  FlowControl rules;
  rules.order = "priority";
  rules.fairness = "round-robin";
  Gateway gateway(rules);
  for (int i = 0; i < 3; ++i) gateway.enter(i, SloClass::standard, "a");
  gateway.enter(3, SloClass::standard, "b");
  gateway.enter(4, SloClass::standard, "c");
  EXPECT_EQ(gateway.drain(), (Order{0, 3, 4, 1, 2}));
}

// a and b are served; b, the last one, has nothing left. The reference goes back to a.
TEST(GatewayQueue, whose_turn_is_it_when_the_last_tenant_has_nothing_left) {
  FlowControl rules;
  rules.order = "priority";
  rules.fairness = "round-robin";
  const auto order = [&](const Semantics& semantics) {
    Gateway gateway(rules, semantics);
    gateway.enter(0, SloClass::standard, "a");
    gateway.enter(1, SloClass::standard, "a");
    gateway.enter(2, SloClass::standard, "b");
    gateway.enter(3, SloClass::standard, "c");
    return gateway.drain();
  };
  EXPECT_EQ(order(Semantics::vllm()), (Order{0, 2, 3, 1}));
  EXPECT_EQ(order(Semantics::blis()), (Order{0, 2, 1, 3}));
}

TEST(GatewayQueue, does_round_robin_hold_in_one_line_too) {
  FlowControl rules;
  rules.fairness = "round-robin";
  Gateway gateway(rules);
  gateway.enter(0, SloClass::standard, "a");
  gateway.enter(1, SloClass::critical, "a");
  gateway.enter(2, SloClass::batch, "b");
  EXPECT_EQ(gateway.drain(), (Order{0, 2, 1}));
}

TEST(GatewayQueue, does_a_deadline_count_only_among_the_requests_of_the_tenant_whose_turn_it_is) {
  FlowControl rules;
  rules.order = "slo-deadline";
  const auto order = [&](const std::string& fairness) {
    rules.fairness = fairness;
    Gateway gateway(rules);
    gateway.enter(0, SloClass::standard, "b", 0, milliseconds(900));
    gateway.enter(1, SloClass::standard, "a", 1, milliseconds(500));
    gateway.enter(2, SloClass::standard, "b", 2, milliseconds(700));
    gateway.enter(3, SloClass::standard, "c", 3, milliseconds(10));
    gateway.enter(4, SloClass::critical, "d", 4, milliseconds(5000));
    return gateway.drain();
  };
  EXPECT_EQ(order("global-strict"), (Order{4, 2, 0, 1, 3}));
  EXPECT_EQ(order("round-robin"), (Order{4, 1, 2, 3, 0}));
}

// Three bands and a limit of 0.4: ceilings 1, 0.7 and 0.4.
TEST(GatewayQueue, are_less_urgent_bands_held_back_earlier) {
  FlowControl rules;
  rules.order = "priority";
  rules.usage_limit = 0.4;
  const auto left_at = [&](double saturation) {
    Gateway gateway(rules);
    gateway.enter(0, SloClass::critical);
    gateway.enter(1, SloClass::standard);
    gateway.enter(2, SloClass::batch);
    return gateway.drain(saturation);
  };
  EXPECT_EQ(left_at(0.39), (Order{0, 1, 2}));
  EXPECT_EQ(left_at(0.4), (Order{0, 1}));
  EXPECT_EQ(left_at(0.7), (Order{0}));
  EXPECT_EQ(left_at(1), Order{});
}

TEST(GatewayQueue, does_nothing_go_at_full_saturation) {
  Gateway gateway({});
  gateway.enter(0, SloClass::critical);
  EXPECT_EQ(gateway.drain(1), Order{});
  EXPECT_EQ(gateway.queue.size(), 1);
}

TEST(GatewayQueue, is_a_newcomer_refused_when_its_band_or_the_queue_is_full) {
  FlowControl rules;
  rules.band_capacity = 1;
  rules.max_depth = 2;
  Gateway gateway(rules);
  EXPECT_TRUE(gateway.enter(0, SloClass::standard).accepted);
  EXPECT_FALSE(gateway.enter(1, SloClass::unset).accepted);
  EXPECT_TRUE(gateway.enter(2, SloClass::batch).accepted);
  EXPECT_FALSE(gateway.enter(3, SloClass::critical).accepted);
}

TEST(GatewayQueue, does_shedding_give_up_the_newest_of_the_least_urgent) {
  FlowControl rules;
  rules.max_depth = 3;
  rules.queue_shedding = true;
  Gateway gateway(rules);
  gateway.enter(0, SloClass::background, "a");
  gateway.enter(1, SloClass::background, "b");
  gateway.enter(2, SloClass::batch);
  const auto entry = gateway.enter(3, SloClass::standard);
  EXPECT_TRUE(entry.accepted);
  ASSERT_TRUE(entry.victim);
  EXPECT_EQ(entry.victim->row, 1u);
  EXPECT_FALSE(gateway.enter(4, SloClass::background).accepted);  // no better than the victim
  EXPECT_EQ(gateway.drain(), (Order{0, 2, 3}));
}

TEST(GatewayQueue, are_requests_that_are_not_sheddable_never_given_up) {
  FlowControl rules;
  rules.max_depth = 1;
  rules.queue_shedding = true;
  Gateway gateway(rules);
  gateway.enter(0, SloClass::standard);
  EXPECT_FALSE(gateway.enter(1, SloClass::critical).accepted);
}

TEST(GatewayQueue, do_requests_expire_in_order_unless_they_have_left) {
  FlowControl rules;
  rules.request_ttl = milliseconds(10);
  Gateway gateway(rules);
  gateway.enter(0, SloClass::standard, "", 0);
  gateway.enter(1, SloClass::standard, "", 3);
  EXPECT_EQ(gateway.queue.next_expiry(), Time{} + milliseconds(10));
  ASSERT_TRUE(gateway.queue.dispatch(0));
  EXPECT_EQ(gateway.queue.next_expiry(), Time{} + milliseconds(13));
  EXPECT_EQ(gateway.queue.expire().row, 1u);
  EXPECT_EQ(gateway.queue.next_expiry(), kNever);
  EXPECT_TRUE(gateway.queue.empty());
}

TEST(GatewayQueue, does_a_waiting_batch_request_not_count_as_protected) {
  Gateway gateway({});
  gateway.enter(0, SloClass::batch);
  EXPECT_FALSE(gateway.queue.protected_request_waits());
  gateway.enter(1, SloClass::unset);
  EXPECT_TRUE(gateway.queue.protected_request_waits());
}

}  // namespace
}  // namespace plimsoll
