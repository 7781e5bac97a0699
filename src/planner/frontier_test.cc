#include <gtest/gtest.h>

#include "planner/plan_choice.h"

namespace plimsoll {
namespace {

TEST(Frontier, keeps_what_serves_more_than_all_that_is_cheaper) {
  std::vector<CandidateResult> all(4);
  const double usd[]{1, 2, 2, 3};
  const double rps[]{10, 9, 30, 30};
  for (std::size_t i = 0; i < all.size(); ++i) {
    all[i].usd_per_hour = usd[i];
    all[i].good_rps = rps[i];
  }
  EXPECT_EQ(frontier_of(all, {0, 1, 2, 3}, false), (std::vector<std::size_t>{0, 2}));
}

}  // namespace
}  // namespace plimsoll
