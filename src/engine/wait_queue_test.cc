#include "engine/wait_queue.h"

#include <gtest/gtest.h>

namespace plimsoll {
namespace {

QueueKey key(std::int32_t priority, std::int32_t input, std::int64_t arrival_ns, std::int64_t id) {
  return {priority, input, Time{arrival_ns}, id};
}

std::vector<std::uint32_t> drained(WaitQueue& queue) {
  std::vector<std::uint32_t> order;
  while (!queue.empty()) {
    order.push_back(queue.front());
    queue.pop_front();
  }
  return order;
}

TEST(WaitQueue, fcfs_keeps_the_order_of_entry_with_preempted_ones_in_front) {
  WaitQueue queue(make_policy(schedulers(), "fcfs", {}));
  for (std::uint32_t slot : {0u, 1u, 2u}) queue.push_back(slot, {});
  queue.remove(1, {});
  queue.push_front(5, {});
  queue.push_back(1, {});
  EXPECT_EQ(queue.size(), 4);
  EXPECT_EQ(drained(queue), (std::vector<std::uint32_t>{5, 0, 2, 1}));
}

TEST(WaitQueue, priority_goes_before_arrival_and_arrival_before_the_text_of_the_id) {
  WaitQueue queue(make_policy(schedulers(), "priority-fcfs", {}));
  queue.push_back(0, key(1, 0, 5, 9));
  queue.push_back(1, key(1, 0, 5, 10));  // "10" sorts before "9"
  queue.push_back(2, key(0, 0, 7, 1));
  queue.push_front(3, key(5, 0, 1, 2));
  EXPECT_EQ(drained(queue), (std::vector<std::uint32_t>{2, 1, 0, 3}));
}

TEST(WaitQueue, sjf_goes_by_prompt_length) {
  WaitQueue queue(make_policy(schedulers(), "sjf", {}));
  queue.push_back(0, key(0, 300, 1, 1));
  queue.push_back(1, key(7, 20, 2, 2));
  queue.push_back(2, key(0, 20, 1, 3));
  queue.remove(0, key(0, 300, 1, 1));
  EXPECT_EQ(drained(queue), (std::vector<std::uint32_t>{2, 1}));
}

WaitingRequest request_of_row(std::uint32_t row) {
  Request request;
  request.id = 100 + row;
  return {request, row};
}

TEST(WaitQueue, requests_without_slots_keep_their_places_between_those_with_slots) {
  WaitQueue queue(make_policy(schedulers(), "fcfs", {}));
  queue.push_back(0, {});
  queue.push_request(request_of_row(1));
  queue.push_request(request_of_row(2));
  queue.push_back(3, {});
  queue.push_request(request_of_row(4));
  EXPECT_EQ(queue.size(), 5);
  EXPECT_EQ(queue.first_without_slot(), nullptr);
  queue.push_front(5, {});
  queue.push_first(6);
  std::vector<std::uint32_t> order;
  while (!queue.empty()) {
    if (const WaitingRequest* first = queue.first_without_slot()) {
      EXPECT_EQ(first->request().id, 100 + first->row);
      queue.give_slot(first->row);
    }
    order.push_back(queue.front());
    queue.pop_front();
  }
  EXPECT_EQ(order, (std::vector<std::uint32_t>{6, 5, 0, 1, 2, 3, 4}));
}

TEST(WaitQueue, one_that_has_got_its_slot_goes_behind_those_that_lost_their_places) {
  WaitQueue queue(make_policy(schedulers(), "fcfs", {}));
  queue.push_request(request_of_row(1));
  queue.push_request(request_of_row(2));
  ASSERT_NE(queue.first_without_slot(), nullptr);
  queue.give_slot(1);
  EXPECT_EQ(queue.first_without_slot(), nullptr);
  queue.push_front(7, {});
  queue.remove(7, {});
  queue.push_front(8, {});
  EXPECT_EQ(queue.front(), 8U);
  queue.pop_front();
  EXPECT_EQ(queue.front(), 1U);
  queue.remove(1, {});
  ASSERT_NE(queue.first_without_slot(), nullptr);
  EXPECT_EQ(queue.first_without_slot()->row, 2U);
  EXPECT_EQ(queue.size(), 1);
}

// Whoever holds KV blocks already goes before those that need some, under any scheduler.
TEST(WaitQueue, first_ones_go_before_all_others_in_order_of_entry) {
  for (const char* scheduler : {"fcfs", "sjf"}) {
    WaitQueue queue(make_policy(schedulers(), scheduler, {}));
    queue.push_back(0, key(0, 10, 1, 1));
    queue.push_first(1);
    queue.push_first(2);
    queue.push_front(3, key(0, 5, 2, 4));
    queue.push_first(4);
    queue.remove(2, key(0, 7, 3, 3));
    EXPECT_EQ(queue.size(), 4) << scheduler;
    EXPECT_EQ(drained(queue), (std::vector<std::uint32_t>{1, 4, 3, 0})) << scheduler;
  }
}

}  // namespace
}  // namespace plimsoll
