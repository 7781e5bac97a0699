// What does a cache keep of prompts for those that come later?
#include "engine/kv_cache.h"

#include <gtest/gtest.h>

#include "engine/instance.h"
#include "reference/linear_model.h"

namespace plimsoll {
namespace {

constexpr std::int64_t kBlock = 16;

const PrefixSegment kShared{7, 40};  // two full blocks, and half of a third

Request with_prefix(std::int32_t tokens, std::uint64_t own_content) {
  Request request;
  request.input_tokens = tokens;
  request.output_tokens = 1;
  request.prefix = {&kShared, 1};
  request.own_content = own_content;
  return request;
}

KvCache cache_of(std::int64_t blocks, bool keeps_prefixes = true) {
  return {blocks, kBlock, keeps_prefixes, false, true};
}

std::int64_t cached(const KvCache& cache, const Request& request) {
  KvCache::Table table;
  cache.open(table, request);
  return cache.cached_blocks(table);
}

TEST(KvCache, keeps_the_full_blocks_of_a_prefix_after_its_request_has_left) {
  KvCache cache = cache_of(100);
  const Request first = with_prefix(100, 1);
  KvCache::Table table;
  cache.open(table, first);
  ASSERT_TRUE(cache.admit(table, first, 0, 100, {}));
  EXPECT_EQ(cache.used_blocks(), 7);
  cache.release(table, first, 100, false);
  EXPECT_EQ(cache.used_blocks(), 0);
  EXPECT_EQ(cached(cache, with_prefix(50, 2)), 2);
  Request other = with_prefix(50, 4);
  other.prefix = {};
  EXPECT_EQ(cached(cache, other), 0);
}

TEST(KvCache, has_of_an_added_prefix_what_is_shared_and_no_more) {
  KvCache cache = cache_of(100);
  Request turn = with_prefix(100, 1);
  turn.reusable = true;  // the next turn would find all of it, but nobody has asked with it yet
  cache.add_prefix(turn);
  EXPECT_EQ(cached(cache, turn), 2);
  EXPECT_EQ(cached(cache, with_prefix(50, 2)), 2);
  EXPECT_EQ(cache.used_blocks(), 0);
  EXPECT_EQ(cache.hit_blocks(), 0);
  EXPECT_EQ(cache.miss_blocks(), 0);
}

TEST(KvCache, adds_no_prefix_where_it_has_no_room_or_keeps_none) {
  KvCache small = cache_of(1);
  small.add_prefix(with_prefix(100, 1));
  EXPECT_EQ(cached(small, with_prefix(50, 2)), 0);
  KvCache forgetful = cache_of(100, false);
  forgetful.add_prefix(with_prefix(100, 1));
  EXPECT_EQ(cached(forgetful, with_prefix(50, 2)), 0);
}

TEST(Instance, notes_how_much_of_a_prompt_was_in_its_cache) {
  EngineConfig limits;
  limits.block_size = kBlock;
  limits.total_kv_blocks = 100;
  limits.max_model_len = 1000;
  RequestTable requests;
  const reference::LinearModel model;
  Instance instance(limits, model, {}, kNever, requests);
  for (std::uint32_t row = 0; row < 3; ++row) {
    Request request = with_prefix(100, 10 + row);
    request.id = row;
    request.arrival = Time{} + seconds(row);
    if (row == 2) request.prefix = {};
    requests.add(request);
    instance.inject(request, row, request.arrival);
    while (instance.next_event() != kNever) instance.run_next_event(instance.next_event(), kNever);
  }
  EXPECT_EQ(requests.cached_tokens[0], 0);
  EXPECT_EQ(requests.cached_tokens[1], 2 * kBlock);
  EXPECT_EQ(requests.cached_tokens[2], 0);
}

TEST(Instance, prices_a_decode_of_one_request_alone_with_the_mean_context) {
  EngineConfig limits;
  limits.block_size = kBlock;
  limits.total_kv_blocks = 1000;
  limits.max_model_len = 1000;
  RequestTable requests;
  reference::LinearModel model;
  model.per_decode_context = 1;
  Instance instance(limits, model, {}, kNever, requests);
  for (std::uint32_t row = 0; row < 4; ++row) {
    Request request;
    request.id = row;
    request.input_tokens = 160;
    request.output_tokens = 321;
    request.own_content = 10 + row;
    requests.add(request);
    instance.inject(request, row, request.arrival);
  }
  while (instance.next_event() != kNever) instance.run_next_event(instance.next_event(), kNever);
  // A step of 1,000 us, 100 us for the request, and its context: 160 to 480 tokens, in blocks.
  EXPECT_NEAR(to_us(instance.record().lone_decode_step), 1'100 + 320 + kBlock / 2, 15);
}

}  // namespace
}  // namespace plimsoll
