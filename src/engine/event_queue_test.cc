#include "engine/event_queue.h"

#include <gtest/gtest.h>

#include <vector>

namespace plimsoll {
namespace {

TEST(EventQueue, gives_events_in_order_however_they_came) {
  EventQueue<int> queue;
  std::vector<int> order;
  for (const int event : {3, 10, 11, 4, 20, 1, 15}) queue.push(event);
  while (queue.top() < 11) {
    order.push_back(queue.top());
    queue.pop();
  }
  queue.push(12);
  while (!queue.empty()) {
    order.push_back(queue.top());
    queue.pop();
  }
  EXPECT_EQ(order, (std::vector<int>{1, 3, 4, 10, 11, 12, 15, 20}));
}

}  // namespace
}  // namespace plimsoll
