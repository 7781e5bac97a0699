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
  SharedRuns runs_{free_};
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

TEST_F(SharedRunsTest, finds_the_later_of_two_copies_and_neither_once_one_is_evicted) {
  auto first = filled(0, 6);
  auto second = filled(2, 4);
  EXPECT_TRUE(runs_.has_hidden_runs());
  EXPECT_EQ(findable(), 6);
  runs_.release(first);
  take(12 + 4);  // all that was free before, then blocks 5 and 4, and the copies of 3 and 2
  EXPECT_EQ(findable(), 2);
  EXPECT_EQ(runs_.findable(kPath, 2, 4), 0);
  runs_.release(second);
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
