#include "base/parallel.h"

#include <gtest/gtest.h>

#include <atomic>
#include <vector>

namespace plimsoll {
namespace {

TEST(ParallelLoop, calls_each_index_once_whatever_the_number_of_threads) {
  for (const std::size_t threads : {1U, 2U, 7U, 100U}) {
    std::vector<std::atomic<int>> calls(50);
    for_each_in_parallel(calls.size(), threads, [&](std::size_t i) { ++calls[i]; });
    for (const std::atomic<int>& count : calls) EXPECT_EQ(count, 1) << threads;
  }
}

TEST(ParallelLoop, does_nothing_for_no_work) {
  for_each_in_parallel(0, 4, [](std::size_t) { FAIL(); });
}

TEST(ParallelLoop, begins_nothing_new_once_told_to_stop) {
  int calls = 0;
  for_each_in_parallel(
      100, 1, [&](std::size_t) { ++calls; }, [&] { return calls < 3; });
  EXPECT_EQ(calls, 3);
}

}  // namespace
}  // namespace plimsoll
