#include "engine/kv_cache.h"

#include <algorithm>
#include <cassert>
#include <utility>

#include "base/numbers.h"

namespace plimsoll {
namespace {

std::int64_t prefix_tokens(const Request& request) {
  std::int64_t tokens = 0;
  for (const PrefixSegment& segment : request.prefix) tokens += segment.tokens;
  return tokens;
}

}  // namespace

KvCache::KvCache(std::int64_t total_blocks, std::int64_t block_size, bool prefix_caching,
                 bool one_token_answer_blocks, bool copies_stay)
    : total_blocks_(total_blocks),
      block_size_(block_size),
      prefix_caching_(prefix_caching),
      answers_cached_(block_size > 1 || one_token_answer_blocks),
      free_(total_blocks),
      runs_(free_, copies_stay) {
  assert(total_blocks > 0 && block_size > 0);
}

std::int64_t KvCache::blocks_between(std::int64_t from, std::int64_t to) const {
  return ceil_div(to, block_size_) - ceil_div(from, block_size_);
}

void KvCache::open(Table& table, const Request& request) const {
  table.claims.clear();
  table.shared_blocks = 0;
  table.shareable_blocks = 0;
  table.remains = FreeList::kNone;
  table.set_aside = 0;
  table.pieces.clear();
  if (!prefix_caching_ || (request.prefix.empty() && !request.reusable)) return;
  content_pieces(request.prefix, request.own_content, block_size_, &table.pieces);
  const std::int64_t tokens = request.reusable ? request.input_tokens : prefix_tokens(request);
  table.shareable_blocks = tokens / block_size_;
}

std::int64_t KvCache::cached_blocks(const Table& table) const {
  std::int64_t cached = 0;
  for_each_piece(table.pieces, 0, table.shareable_blocks,
                 [&](std::uint64_t path, std::int64_t first, std::int64_t last) {
                   cached += runs_.findable(path, first, last);
                   return cached == last;
                 });
  if (cached < table.shareable_blocks || table.remains == FreeList::kNone) return cached;
  return cached + free_.count(table.remains);
}

void KvCache::add_prefix(const Request& request) {
  if (!prefix_caching_) return;
  Request earlier = request;
  earlier.reusable = false;
  Table table;
  open(table, earlier);
  const std::int64_t tokens = table.shareable_blocks * block_size_;
  const std::int64_t cached = cached_blocks(table);
  if (cached == table.shareable_blocks) return;
  const auto [hits, misses] = std::pair(hits_, misses_);
  if (admit(table, earlier, cached, tokens, {})) release(table, earlier, tokens, false);
  hits_ = hits;
  misses_ = misses;
}

bool KvCache::admit(Table& table, const Request& request, std::int64_t cached, std::int64_t end,
                    const Room& room) {
  const std::int64_t begin = cached * block_size_;
  const std::int64_t shared = std::min(cached, table.shareable_blocks);
  std::int64_t claimed_from_free = cached - shared;
  for_each_piece(table.pieces, 0, shared,
                 [&](std::uint64_t path, std::int64_t first, std::int64_t last) {
                   claimed_from_free += runs_.free_among(path, first, last);
                   return true;
                 });
  const std::int64_t blocks = blocks_between(begin, end);
  const std::int64_t set_aside = std::max<std::int64_t>(0, room.set_aside - cached - blocks);
  const std::int64_t wanted = blocks + claimed_from_free + set_aside;
  if (wanted + room.leave_free > free_blocks()) return false;
  table.set_aside = room.set_aside;
  set_aside_ += set_aside;

  table.shared_blocks = shared;
  if (table.remains != FreeList::kNone) {
    if (cached < table.shareable_blocks + free_.count(table.remains)) {
      share_remains(table, request);
      table.shared_blocks = cached;
    } else {
      free_.claim_own(table.remains, cached - shared);
    }
    table.remains = FreeList::kNone;
  }
  for_each_piece(table.pieces, 0, table.shared_blocks,
                 [&](std::uint64_t path, std::int64_t first, std::int64_t last) {
                   runs_.claim(path, first, last, table.claims);
                   return true;
                 });
  hits_ += cached;
  take_prompt_blocks(table, begin, end);
  return true;
}

bool KvCache::extend_prompt(Table& table, std::int64_t begin, std::int64_t end) {
  const std::int64_t blocks = blocks_between(begin, end);
  std::int64_t set_aside = 0;
  if (table.set_aside > 0) {
    set_aside = std::clamp<std::int64_t>(table.set_aside - ceil_div(begin, block_size_), 0, blocks);
  }
  if (blocks - set_aside > free_blocks()) return false;
  set_aside_ -= set_aside;
  take_prompt_blocks(table, begin, end);
  return true;
}

// Survivors that are not claimed, behind a gap in the chain or in the place of the last token, may
// be found later; meanwhile this request makes second copies of them. From here on its prompt is
// treated like content that others may share.
void KvCache::share_remains(Table& table, const Request& request) {
  const std::int64_t count = free_.count(table.remains);
  if (count == 0) {
    free_.forget(table.remains);
    return;
  }
  // Own content: it lies in the last piece.
  const std::int64_t from = table.shareable_blocks;
  runs_.add_free(table.pieces.back().path, from, table.remains);
  table.shareable_blocks = std::max(request.input_tokens / block_size_, from + count);
}

void KvCache::take_prompt_blocks(Table& table, std::int64_t begin, std::int64_t end) {
  std::int64_t owned = ceil_div(begin, block_size_);
  const std::int64_t full = std::min(end / block_size_, table.shareable_blocks);
  if (table.shared_blocks < full) {
    take_shareable_blocks(table, owned, full);
    owned = std::max(owned, full);
  }
  take(ceil_div(end, block_size_) - owned);
}

// Blocks are filled in order, each found as soon as it is full, before the next one is taken. Where
// no content involved is there already, that cannot be told from taking all of them first.
void KvCache::take_shareable_blocks(Table& table, std::int64_t owned, std::int64_t full) {
  bool known = runs_.order_matters();
  for_each_piece(table.pieces, table.shared_blocks, full,
                 [&](std::uint64_t path, std::int64_t first, std::int64_t last) {
                   known = known || (!runs_.copies_stay() && runs_.any_findable(path, first, last));
                   return !known;
                 });
  if (!known) take(std::max<std::int64_t>(0, full - owned));
  const std::int64_t stride = known ? 1 : full;
  for_each_piece(table.pieces, table.shared_blocks, full,
                 [&](std::uint64_t path, std::int64_t first, std::int64_t last) {
                   for (; first < last; first += stride) {
                     if (known && first >= owned) take(1);
                     runs_.add(path, first, std::min(last, first + stride), table.claims);
                   }
                   return true;
                 });
  table.shared_blocks = full;
}

void KvCache::take(std::int64_t n) {
  misses_ += n;
  free_.take(n, [this](std::uint32_t run, std::int64_t blocks) { runs_.evict(run, blocks); });
}

void KvCache::take_set_aside(std::int64_t n) {
  set_aside_ -= n;
  take(n);
}

void KvCache::release(Table& table, const Request& request, std::int64_t tokens, bool answer_only) {
  release_set_aside(table, tokens);
  if (request.reusable) register_own_blocks(table, request, tokens, answer_only);
  free_.add_nothing(ceil_div(tokens, block_size_) - table.shared_blocks);
  release_claims(table);
  forget(table);
}

void KvCache::release_preempted(Table& table, const Request& request, std::int64_t tokens,
                                std::int64_t again, bool answer_only) {
  release_set_aside(table, tokens);
  if (request.reusable) register_own_blocks(table, request, tokens, answer_only);
  if (request.reusable && prefix_caching_) table.shareable_blocks = again / block_size_;
  const std::int64_t owned = ceil_div(tokens, block_size_) - table.shared_blocks;
  // Full blocks that only this request can ask for again.
  std::int64_t kept = 0;
  if (prefix_caching_ && !answer_only) {
    kept = std::max<std::int64_t>(0, std::min(tokens, again) / block_size_ - table.shared_blocks);
  }
  free_.add_nothing(owned - kept);
  if (kept > 0) table.remains = free_.add_own(kept);
  if (kept > 0 && table.pieces.empty()) {
    content_pieces(request.prefix, request.own_content, block_size_, &table.pieces);
  }
  release_claims(table);
}

void KvCache::release_claims(Table& table) {
  runs_.release(table.claims);
  table.shared_blocks = 0;
}

void KvCache::release_set_aside(Table& table, std::int64_t tokens) {
  if (table.set_aside == 0) return;
  set_aside_ -= std::max<std::int64_t>(0, table.set_aside - ceil_div(tokens, block_size_));
  table.set_aside = 0;
}

void KvCache::forget(Table& table) {
  if (table.remains != FreeList::kNone) free_.forget(table.remains);
  table.remains = FreeList::kNone;
}

void KvCache::register_own_blocks(Table& table, const Request& request, std::int64_t tokens,
                                  bool answer_only) {
  if (!prefix_caching_) return;
  // An answer that goes on where the prompt's own end stops: nobody can ask for it from there.
  if (answer_only && prefix_tokens(request) < request.input_tokens) return;
  const std::int64_t full = answers_cached_ ? tokens / block_size_
                            : answer_only   ? 0
                                            : std::min<std::int64_t>(tokens, request.input_tokens);
  if (full <= table.shared_blocks) return;
  std::vector<ContentPiece> answer;
  if (answer_only) content_pieces({}, request.own_content, block_size_, &answer);
  for_each_piece(answer_only ? answer : table.pieces, table.shared_blocks, full,
                 [&](std::uint64_t path, std::int64_t first, std::int64_t last) {
                   runs_.add(path, first, last, table.claims);
                   return true;
                 });
  table.shared_blocks = full;
}

}  // namespace plimsoll
