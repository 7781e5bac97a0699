#include "engine/shared_runs.h"

#include <gtest/gtest.h>

namespace plimsoll {
namespace {

constexpr std::uint64_t kPath = 42;

class SharedRunsTest : public testing::Test {
 protected:
  /// A request fills blocks [first, last) anew.
  std::vector<RunClaim> filled(std::int64_t first, std::int64_t last) {
    take(last - first);
    std::vector<RunClaim> claims;
    runs_.add(kPath, first, last, claims);
    return claims;
  }
  void take(std::int64_t n) {
    free_.take(n, [this](std::uint32_t run, std::int64_t k) { runs_.evict(run, k); });
  }
  std::int64_t findable(std::int64_t first = 0) const { return runs_.findable(kPath, first, 100); }

  FreeList free_{20};
  SharedRuns runs_{free_, true};
};

TEST_F(SharedRunsTest, finds_what_was_filled_until_it_is_evicted_from_the_end) {
  auto claims = filled(0, 10);
  EXPECT_EQ(findable(), 10);
  EXPECT_EQ(findable(4), 6);
  runs_.release(claims);
  EXPECT_EQ(findable(), 10);
  take(10 + 3);
  EXPECT_EQ(findable(), 7);
}

TEST_F(SharedRunsTest, splits_a_run_for_who_claims_a_part_of_it) {
  auto claims = filled(0, 10);
  runs_.release(claims);
  runs_.claim(kPath, 0, 4, claims);
  EXPECT_EQ(free_.blocks(), 16);
  EXPECT_EQ(runs_.free_among(kPath, 0, 10), 6);
  take(16);
  EXPECT_EQ(findable(), 4);
}

TEST_F(SharedRunsTest, gives_back_a_claim_that_is_older_than_the_split) {
  auto older = filled(0, 10);
  std::vector<RunClaim> newer;
  runs_.claim(kPath, 0, 4, newer);
  runs_.release(older);
  EXPECT_EQ(free_.blocks(), 16);  // the newer claim holds four
  runs_.release(newer);
  EXPECT_EQ(free_.blocks(), 20);
  EXPECT_EQ(findable(), 10);
}

TEST_F(SharedRunsTest, finds_a_copy_once_the_one_before_it_is_evicted) {
  auto first = filled(0, 6);
  auto second = filled(2, 8);  // 6 and 7 are new
  auto third = filled(3, 4);
  EXPECT_FALSE(runs_.order_matters());
  EXPECT_EQ(findable(), 8);
  runs_.release(first);
  take(7 + 3);  // all that was free before, then blocks 5, 4 and 3
  EXPECT_EQ(findable(), 8);
  std::vector<RunClaim> claims;
  runs_.claim(kPath, 0, 5, claims);  // up to 2 those of the first
  EXPECT_EQ(free_.blocks(), 0);
  runs_.release(claims);
  runs_.release(second);
  take(2 + 1 + 4);  // 0 and 1 of the first, its 2, and 7 to 4 of the second
  EXPECT_EQ(runs_.findable(kPath, 2, 8), 2);  // that of the second, and of it or the third
  runs_.release(third);
  take(2);
  EXPECT_EQ(runs_.findable(kPath, 2, 8), 0);
  EXPECT_EQ(runs_.findable(kPath, 3, 8), 1);
  take(1);
  EXPECT_EQ(runs_.findable(kPath, 3, 8), 0);
}

// The reference finds the later of two copies, and neither once one is evicted.
TEST(SharedRunsOfTheReference, lose_content_with_any_of_its_copies) {
  FreeList free(20);
  SharedRuns runs(free, false);
  const auto filled = [&](std::int64_t first, std::int64_t last) {
    free.take(last - first, [&](std::uint32_t run, std::int64_t k) { runs.evict(run, k); });
    std::vector<RunClaim> claims;
    runs.add(kPath, first, last, claims);
    return claims;
  };
  auto first = filled(0, 6);
  auto second = filled(2, 4);
  EXPECT_TRUE(runs.order_matters());
  EXPECT_EQ(runs.findable(kPath, 0, 100), 6);
  runs.release(first);
  // All that was free before, then blocks 5 and 4, and the copies of 3 and 2.
  free.take(12 + 4, [&](std::uint32_t run, std::int64_t k) { runs.evict(run, k); });
  EXPECT_EQ(runs.findable(kPath, 0, 100), 2);
  EXPECT_EQ(runs.findable(kPath, 2, 4), 0);
  runs.release(second);
}

TEST_F(SharedRunsTest, grows_the_run_of_who_fills_block_after_block) {
  std::vector<RunClaim> claims = filled(0, 2);
  for (std::int64_t block = 2; block < 6; ++block) {
    take(1);
    runs_.add(kPath, block, block + 1, claims);
  }
  ASSERT_EQ(claims.size(), 1);
  EXPECT_EQ(claims.front().blocks, 6);
  EXPECT_EQ(findable(), 6);
  runs_.release(claims);
  take(14 + 2);
  EXPECT_EQ(findable(), 4);
}

TEST_F(SharedRunsTest, begins_a_run_where_somebody_else_holds_the_one_before) {
  std::vector<RunClaim> claims = filled(0, 4);
  std::vector<RunClaim> other;
  runs_.claim(kPath, 0, 4, other);
  take(3);
  runs_.add(kPath, 4, 7, claims);
  ASSERT_EQ(claims.size(), 2);
  runs_.release(claims);
  EXPECT_EQ(free_.blocks(), 16);  // the other holds four
  runs_.release(other);
  EXPECT_EQ(free_.blocks(), 20);
  EXPECT_EQ(findable(), 7);
}

}  // namespace
}  // namespace plimsoll
