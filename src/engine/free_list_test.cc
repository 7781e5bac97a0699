#include "engine/free_list.h"

#include <gtest/gtest.h>

#include <utility>
#include <vector>

namespace plimsoll {
namespace {

using Evicted = std::vector<std::pair<std::uint32_t, std::int64_t>>;

Evicted take(FreeList& list, std::int64_t n) {
  Evicted evicted;
  list.take(n, [&](std::uint32_t owner, std::int64_t k) { evicted.emplace_back(owner, k); });
  return evicted;
}

TEST(FreeList, takes_what_has_lain_longest) {
  FreeList list(4);
  list.add_shared(7, 3);
  list.add_shared(8, 2);
  EXPECT_EQ(list.blocks(), 9);
  EXPECT_EQ(take(list, 5), (Evicted{{7, 1}}));
  EXPECT_EQ(take(list, 3), (Evicted{{7, 2}, {8, 1}}));
  EXPECT_EQ(list.blocks(), 1);
}

TEST(FreeList, lets_a_claimed_extent_go_from_the_middle) {
  FreeList list(0);
  list.add_shared(1, 2);
  const auto middle = list.add_shared(2, 2);
  list.add_shared(3, 2);
  list.claim_shared(middle);
  EXPECT_EQ(take(list, 4), (Evicted{{1, 2}, {3, 2}}));
}

TEST(FreeList, takes_the_far_part_of_a_split_extent_first) {
  FreeList list(0);
  const auto low = list.add_shared(1, 5);
  list.split_shared(low, 2, 9);
  EXPECT_EQ(list.count(low), 2);
  EXPECT_EQ(take(list, 4), (Evicted{{9, 3}, {1, 1}}));
}

TEST(FreeList, keeps_the_handle_of_an_own_extent_that_is_eaten_up) {
  FreeList list(0);
  const auto own = list.add_own(3);
  list.add_nothing(2);
  EXPECT_EQ(take(list, 1), Evicted{});
  EXPECT_EQ(list.count(own), 2);
  take(list, 3);
  EXPECT_EQ(list.count(own), 0);
  list.forget(own);
  EXPECT_EQ(list.blocks(), 1);
}

TEST(FreeList, forgets_what_is_not_claimed_of_an_own_extent) {
  FreeList list(0);
  const auto own = list.add_own(5);
  list.claim_own(own, 2);
  EXPECT_EQ(list.blocks(), 3);
  EXPECT_EQ(take(list, 3), Evicted{});
}

}  // namespace
}  // namespace plimsoll
