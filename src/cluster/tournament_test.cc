#include "cluster/tournament.h"

#include <gtest/gtest.h>

namespace plimsoll {
namespace {

TEST(Tournament, names_the_earliest_and_of_equals_the_first) {
  for (const std::size_t n : {1u, 2u, 5u, 8u, 13u}) {
    Tournament tournament(n);
    EXPECT_EQ(tournament.earliest(), kNever);
    for (std::size_t i = n; i-- > 0;) tournament.set(i, Time{7});
    EXPECT_EQ(tournament.winner(), 0u);
    tournament.set(n - 1, Time{3});
    EXPECT_EQ(tournament.winner(), n - 1);
    EXPECT_EQ(tournament.earliest(), Time{3});
    tournament.set(n - 1, kNever);
    EXPECT_EQ(tournament.earliest(), n == 1 ? kNever : Time{7});
  }
}

}  // namespace
}  // namespace plimsoll
