#include "base/parallel.h"

#include <gtest/gtest.h>

#include <sys/resource.h>

#include <atomic>
#include <cstdint>
#include <fstream>
#include <new>
#include <stdexcept>
#include <thread>
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

TEST(ParallelLoop, a_call_that_throws_ends_the_loop_in_the_callers_hands) {
  for (const std::size_t threads : {1U, 4U}) {
    std::atomic<int> calls = 0;
    const auto work = [&](std::size_t i) {
      ++calls;
      if (i == 20) throw std::runtime_error("no room");
    };
    EXPECT_THROW(for_each_in_parallel(1'000'000, threads, work), std::runtime_error) << threads;
    EXPECT_LT(calls, 1'000'000) << threads;
  }
}

// Of a thread of which no stack can be had: less address space than its stack takes.
TEST(ParallelLoop, does_with_the_threads_that_the_system_gives) {
  const auto in_a_small_space = [] {
    rlimit small{};
    getrlimit(RLIMIT_AS, &small);
    small.rlim_cur = 0;
    setrlimit(RLIMIT_AS, &small);
    std::atomic<int> calls = 0;
    for_each_in_parallel(50, 64, [&](std::size_t) { ++calls; });
    work_and_watch([&] { ++calls; }, [] {});
    std::_Exit(calls == 51 ? 0 : 1);
  };
  std::int64_t pages = 0;
  std::ifstream("/proc/self/statm") >> pages;
  if (pages > 1 << 28) GTEST_SKIP() << "a sanitizer reserves more address space than there is";
  EXPECT_EXIT(in_a_small_space(), testing::ExitedWithCode(0), "");
}

TEST(WorkAndWatch, looks_until_the_work_is_done) {
  std::atomic<int> looks = 0;
  work_and_watch(
      [&] {
        while (looks < 2) std::this_thread::yield();
      },
      [&] { ++looks; });
  EXPECT_GE(looks, 2);
}

TEST(WorkAndWatch, carries_what_the_work_throws) {
  EXPECT_THROW(work_and_watch([] { throw std::bad_alloc(); }, [] {}), std::bad_alloc);
}

}  // namespace
}  // namespace plimsoll
