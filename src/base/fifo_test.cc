#include "base/fifo.h"

#include <gtest/gtest.h>

#include <deque>

namespace plimsoll {
namespace {

TEST(Fifo, GivesWhatADequeGivesHoweverPushesAndPopsMix) {
  Fifo<int> fifo;
  std::deque<int> expected;
  for (int i = 0; i < 2000; ++i) {
    // Grows for a while, then drains, then stays short.
    const bool push = (i / 400) % 2 == 0 ? i % 3 != 2 : i % 3 == 0;
    if (push || expected.empty()) {
      fifo.push_back(i);
      expected.push_back(i);
    } else {
      fifo.pop_front();
      expected.pop_front();
    }
    ASSERT_EQ(fifo.empty(), expected.empty());
    if (expected.empty()) continue;
    ASSERT_EQ(fifo.front(), expected.front());
    ASSERT_EQ(fifo.back(), expected.back());
  }
}

}  // namespace
}  // namespace plimsoll
