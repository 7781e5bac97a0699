#include "cluster/prefix_holdings.h"

#include <gtest/gtest.h>

#include <limits>
#include <random>
#include <set>
#include <tuple>

namespace plimsoll {
namespace {

constexpr std::int64_t kNoEnd = std::numeric_limits<std::int64_t>::max();

TEST(PrefixHoldings, counts_to_the_first_gap_of_each_instance) {
  PrefixHoldings holdings;
  const std::vector<ContentPiece> prompt{{11, 3}, {22, 7}, {33, kNoEnd}};
  holdings.add(11, 0, 0, 3);
  holdings.add(22, 0, 3, 5);
  holdings.add(22, 0, 6, 7);  // behind a gap
  holdings.add(11, 1, 0, 3);
  holdings.add(22, 1, 3, 7);
  holdings.add(33, 1, 7, 20);
  holdings.add(22, 2, 3, 7);  // without its beginning
  std::vector<double> leading(4);
  holdings.count_leading(prompt, 9, leading);
  EXPECT_EQ(leading, (std::vector<double>{5, 9, 0, 0}));
  holdings.add(22, 0, 5, 6);
  holdings.remove(11, 1, 1, 2);
  holdings.count_leading(prompt, 9, leading);
  EXPECT_EQ(leading, (std::vector<double>{7, 1, 0, 0}));
}

TEST(PrefixHoldings, answers_as_a_set_of_single_blocks_does) {
  std::mt19937 draw(20261121);
  const auto pick = [&](int n) { return static_cast<int>(draw() % static_cast<unsigned>(n)); };
  PrefixHoldings holdings;
  std::set<std::tuple<std::uint64_t, std::uint32_t, std::int64_t>> held;
  std::vector<double> leading(3);
  for (int step = 0; step < 20'000; ++step) {
    const auto path = static_cast<std::uint64_t>(1 + pick(3));
    const auto instance = static_cast<std::uint32_t>(pick(3));
    const std::int64_t first = pick(12);
    const bool add = held.count({path, instance, first}) == 0;
    std::int64_t end = first;
    const std::int64_t most = first + 1 + pick(6);
    while (end < most && (held.count({path, instance, end}) == 0) == add) ++end;
    for (std::int64_t i = first; i < end; ++i) {
      add ? void(held.insert({path, instance, i})) : void(held.erase({path, instance, i}));
    }
    if (add) {
      holdings.add(path, instance, first, end);
    } else {
      holdings.remove(path, instance, first, end);
    }
    const std::vector<ContentPiece> prompt{{path, kNoEnd}};
    const std::int64_t blocks = pick(20);
    holdings.count_leading(prompt, blocks, leading);
    for (std::uint32_t i = 0; i < 3; ++i) {
      std::int64_t found = 0;
      while (found < blocks && held.count({path, i, found}) > 0) ++found;
      ASSERT_EQ(leading[i], found) << step;
    }
  }
}

}  // namespace
}  // namespace plimsoll
