#include "base/memory.h"

#include <gtest/gtest.h>

#include <sys/resource.h>

#include <cstdint>
#include <cstdlib>
#include <fstream>

namespace plimsoll {
namespace {

constexpr std::int64_t kGb = 1'000'000'000;

TEST(AvailableMemory, is_some_of_the_machines) {
  const auto bytes = available_memory();
  if (!bytes) GTEST_SKIP() << "this system does not say";
  EXPECT_GT(*bytes, kGb / 100);
}

TEST(AvailableMemory, is_no_more_than_ulimit_leaves) {
  const auto in_a_small_space = [] {
    const rlimit small{64 * kGb, RLIM_INFINITY};
    setrlimit(RLIMIT_AS, &small);
    const std::int64_t before = available_memory().value_or(64 * kGb);
    const rlimit smaller{0, RLIM_INFINITY};
    setrlimit(RLIMIT_AS, &smaller);
    std::_Exit(before > 0 && available_memory().value_or(0) == 0 ? 0 : 1);
  };
  std::int64_t pages = 0;
  std::ifstream("/proc/self/statm") >> pages;
  if (pages > 1 << 28) GTEST_SKIP() << "a sanitizer reserves more address space than there is";
  EXPECT_EXIT(in_a_small_space(), testing::ExitedWithCode(0), "");
}

TEST(CheckMemory, refuses_what_does_not_fit_and_says_how_many_would) {
  EXPECT_TRUE(check_memory(1e6, 1000, "requests", "fewer", kGb).has_value());
  EXPECT_TRUE(check_memory(1e18, 1000, "requests", "fewer", std::nullopt).has_value());
  const auto refused = check_memory(2e6, 1000, "requests", "lower --num-requests", kGb);
  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(format(refused.error()),
            "error: 2,000,000 requests need about 2.00 GB of memory, and 1.00 GB are left\n"
            "  about 1,000,000 fit: lower --num-requests\n");
  EXPECT_EQ(exit_code(refused.error()), 3);
}

TEST(OutOfMemory, says_what_needed_it) {
  const auto throws = [] { throw OutOfMemory("simulating 5 requests"); };
  EXPECT_THROW(throws(), std::bad_alloc);
  EXPECT_NE(format(out_of_memory("simulating 5 requests")).find("not enough memory for simulating"),
            std::string::npos);
}

TEST(Memory, is_short_only_where_the_system_says_so) {
  EXPECT_TRUE(is_memory_short(0));
  EXPECT_TRUE(is_memory_short(249'999'999));
  EXPECT_FALSE(is_memory_short(250'000'000));
  EXPECT_FALSE(is_memory_short(std::nullopt));
}

}  // namespace
}  // namespace plimsoll
