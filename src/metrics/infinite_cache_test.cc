#include "metrics/workload_shape.h"

#include <gtest/gtest.h>

namespace plimsoll {
namespace {

constexpr std::int64_t kBlock = 16;

Request prompt(const std::vector<PrefixSegment>& prefix, std::int32_t tokens, std::uint64_t own) {
  Request request;
  request.prefix = prefix;
  request.input_tokens = tokens;
  request.output_tokens = 40;
  request.own_content = own;
  return request;
}

TEST(InfiniteCache, are_whole_blocks_of_a_shared_prefix_found) {
  InfiniteCache cache(kBlock);
  const std::vector<PrefixSegment> system{{7, 100}};
  EXPECT_EQ(cache.add(prompt(system, 200, 1)), 0);
  EXPECT_EQ(cache.add(prompt(system, 150, 2)), 96);  // six of the 100 / 16 blocks
  EXPECT_EQ(cache.add(prompt(system, 100, 3)), 96);
  EXPECT_EQ(cache.add(prompt({}, 300, 4)), 0);
  EXPECT_EQ(cache.reused_tokens(), 96);
}

TEST(InfiniteCache, is_the_last_token_of_a_prompt_always_computed) {
  InfiniteCache cache(kBlock);
  const std::vector<PrefixSegment> whole{{7, 32}};
  EXPECT_EQ(cache.add(prompt(whole, 32, 1)), 0);
  EXPECT_EQ(cache.add(prompt(whole, 32, 2)), 16);
  EXPECT_EQ(cache.add(prompt(whole, 33, 3)), 32);
}

TEST(InfiniteCache, do_paths_part_where_their_content_does) {
  InfiniteCache cache(kBlock);
  const std::vector<PrefixSegment> ab{{1, 32}, {2, 32}};
  const std::vector<PrefixSegment> ac{{1, 32}, {3, 32}};
  const std::vector<PrefixSegment> b{{2, 32}};
  EXPECT_EQ(cache.add(prompt(ab, 80, 11)), 0);
  EXPECT_EQ(cache.add(prompt(ac, 80, 12)), 32);
  EXPECT_EQ(cache.add(prompt(b, 80, 13)), 0);  // the same tokens at another place are others
  EXPECT_EQ(cache.add(prompt(ab, 80, 14)), 64);
  EXPECT_EQ(cache.reused_tokens(), 64);
}

TEST(InfiniteCache, does_a_longer_prefix_continue_a_shorter_one) {
  InfiniteCache cache(kBlock);
  const std::vector<PrefixSegment> shorter{{1, 32}};
  const std::vector<PrefixSegment> longer{{1, 160}};
  EXPECT_EQ(cache.add(prompt(shorter, 64, 11)), 0);
  EXPECT_EQ(cache.add(prompt(longer, 200, 12)), 32);
  EXPECT_EQ(cache.add(prompt(longer, 200, 13)), 160);
  EXPECT_EQ(cache.reused_tokens(), 160);
}

TEST(InfiniteCache, does_the_next_turn_find_prompt_and_answer_of_the_last) {
  InfiniteCache cache(kBlock);
  Request first = prompt({}, 60, 11);
  first.reusable = true;
  EXPECT_EQ(cache.add(first), 0);
  const std::vector<PrefixSegment> history{{11, 100}};  // 60 asked, 40 answered
  EXPECT_EQ(cache.add(prompt(history, 150, 12)), 96);
  Request stranger = prompt({}, 60, 13);
  EXPECT_EQ(cache.add(stranger), 0);
  const std::vector<PrefixSegment> not_kept{{13, 60}};
  EXPECT_EQ(cache.add(prompt(not_kept, 90, 14)), 0);
}

}  // namespace
}  // namespace plimsoll
