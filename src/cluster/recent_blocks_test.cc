#include "cluster/recent_blocks.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <limits>
#include <random>
#include <utility>

namespace plimsoll {
namespace {

constexpr std::int64_t kEndless = std::numeric_limits<std::int64_t>::max();

/// A list of single blocks, oldest first.
class NaiveRecentBlocks {
 public:
  explicit NaiveRecentBlocks(std::size_t capacity) : capacity_(capacity) {}

  void touch(std::span<const ContentPiece> pieces, std::int64_t shareable, std::int64_t all) {
    for_each_piece(pieces, 0, shareable, [&](std::uint64_t path, std::int64_t i, std::int64_t end) {
      for (; i < end; ++i) touch({path, i});
      return true;
    });
    for (std::int64_t i = shareable; i < all; ++i) touch({1'000'000 + touched_++, i});
  }

  std::int64_t leading(std::span<const ContentPiece> pieces, std::int64_t blocks) const {
    std::int64_t found = 0;
    for_each_piece(pieces, 0, blocks, [&](std::uint64_t path, std::int64_t i, std::int64_t end) {
      while (i < end && has({path, i})) ++i, ++found;
      return i == end;
    });
    return found;
  }

 private:
  using Block = std::pair<std::uint64_t, std::int64_t>;

  bool has(const Block& block) const {
    return std::find(blocks_.begin(), blocks_.end(), block) != blocks_.end();
  }
  void touch(const Block& block) {
    if (has(block)) blocks_.erase(std::find(blocks_.begin(), blocks_.end(), block));
    blocks_.push_back(block);
    if (blocks_.size() > capacity_) blocks_.pop_front();
  }

  std::size_t capacity_;
  std::deque<Block> blocks_;
  std::uint64_t touched_ = 0;
};

TEST(RecentBlocks, remembers_what_a_list_of_single_blocks_does) {
  std::mt19937 draw(20261121);
  const auto pick = [&](int low, int high) {
    return low + static_cast<int>(draw() % static_cast<unsigned>(high - low + 1));
  };
  for (int run = 0; run < 200; ++run) {
    const int capacity = pick(1, 40);
    const int instances = pick(1, 3);
    PrefixHoldings holdings;
    std::deque<RecentBlocks> fast;
    std::vector<NaiveRecentBlocks> naive;
    for (int i = 0; i < instances; ++i) {
      fast.emplace_back(static_cast<std::uint32_t>(i), capacity, holdings);
      naive.emplace_back(static_cast<std::size_t>(capacity));
    }
    std::vector<double> leading(static_cast<std::size_t>(instances));
    for (int step = 0; step < 100; ++step) {
      // Pieces of fixed length one after the other, the last one cut anywhere.
      const std::int64_t first_end = 4;
      const auto head = static_cast<std::uint64_t>(pick(1, 2));
      const auto tail = head * 10 + static_cast<std::uint64_t>(pick(1, 2));
      const std::vector<ContentPiece> pieces{{head, first_end}, {tail, kEndless}};
      const std::int64_t shareable = pick(0, 20);
      const std::int64_t all = shareable + pick(0, 8);
      holdings.count_leading(pieces, shareable, leading);
      for (std::size_t i = 0; i < naive.size(); ++i) {
        ASSERT_EQ(leading[i], naive[i].leading(pieces, shareable)) << run << " " << step;
      }
      const auto at = static_cast<std::size_t>(pick(0, instances - 1));
      fast[at].touch(pieces, shareable, all);
      naive[at].touch(pieces, shareable, all);
    }
  }
}

TEST(RecentBlocks, own_ends_of_prompts_push_out_shared_starts) {
  PrefixHoldings holdings;
  RecentBlocks blocks(0, 10, holdings);
  const std::vector<ContentPiece> pieces{{7, 4}, {8, kEndless}};
  std::vector<double> leading(1);
  const auto left = [&] {
    holdings.count_leading(pieces, 4, leading);
    return leading[0];
  };
  blocks.touch(pieces, 4, 8);  // 4 shared, 4 own
  EXPECT_EQ(left(), 4);
  blocks.touch({}, 0, 2);  // full
  EXPECT_EQ(left(), 4);
  blocks.touch({}, 0, 1);  // the first block of the shared start goes first, and so no hit is left
  EXPECT_EQ(left(), 0);
}

}  // namespace
}  // namespace plimsoll
