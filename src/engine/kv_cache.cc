#include "engine/kv_cache.h"

#include <algorithm>

#include "engine/prefix_walk.h"

namespace plimsoll {
namespace {

std::int64_t ceil_div(std::int64_t a, std::int64_t b) { return (a + b - 1) / b; }

std::int64_t prefix_tokens(const Request& request) {
  std::int64_t tokens = 0;
  for (const PrefixSegment& segment : request.prefix) tokens += segment.tokens;
  return tokens;
}

PrefixWalk walk_prompt(const Request& request, std::int64_t block_size) {
  return {request.prefix, request.own_content, block_size};
}

}  // namespace

KvCache::KvCache(std::int64_t total_blocks, std::int64_t block_size, bool prefix_caching,
                 bool one_token_answer_blocks)
    : total_blocks_(total_blocks),
      block_size_(block_size),
      prefix_caching_(prefix_caching),
      answers_cached_(block_size > 1 || one_token_answer_blocks),
      free_(total_blocks) {}

std::int64_t KvCache::blocks_between(std::int64_t from, std::int64_t to) const {
  return ceil_div(to, block_size_) - ceil_div(from, block_size_);
}

void KvCache::open(Table& table, const Request& request) const {
  table.shared.clear();
  table.remains = FreeList::kNone;
  table.shareable_blocks = 0;
  if (!prefix_caching_) return;
  const std::int64_t tokens = request.reusable ? request.input_tokens : prefix_tokens(request);
  table.shareable_blocks = tokens / block_size_;
}

std::int64_t KvCache::cached_blocks(const Table& table, const Request& request) const {
  PrefixWalk walk = walk_prompt(request, block_size_);
  for (std::int64_t k = 0; k < table.shareable_blocks; ++k) {
    if (!by_identity_.contains(walk.block(k))) return k;
  }
  const std::int64_t remains = table.remains == FreeList::kNone ? 0 : free_.count(table.remains);
  return table.shareable_blocks + remains;
}

bool KvCache::admit(Table& table, const Request& request, std::int64_t cached, std::int64_t end) {
  const std::int64_t begin = cached * block_size_;
  const std::int64_t shared = std::min(cached, table.shareable_blocks);
  PrefixWalk walk = walk_prompt(request, block_size_);
  std::int64_t claimed_from_free = cached - shared;
  for (std::int64_t k = 0; k < shared; ++k) {
    const std::uint32_t id = by_identity_.at(walk.block(k));
    table.shared.push_back(id);
    claimed_from_free += blocks_[id].references == 0 ? 1 : 0;
  }
  if (blocks_between(begin, end) + claimed_from_free > free_.blocks()) {
    table.shared.clear();
    return false;
  }
  if (table.remains != FreeList::kNone &&
      cached < table.shareable_blocks + free_.count(table.remains)) {
    share_remains(table, request);
    for (std::int64_t k = shared; k < cached; ++k) {
      table.shared.push_back(by_identity_.at(walk.block(k)));
    }
  }
  for (const std::uint32_t id : table.shared) {
    SharedBlock& block = blocks_[id];
    if (block.references++ == 0) free_.claim_shared(block.free_at);
  }
  if (table.remains != FreeList::kNone) {
    free_.claim_own(table.remains, cached - shared);
    table.remains = FreeList::kNone;
  }
  hits_ += cached;
  take_prompt_blocks(table, request, begin, end);
  return true;
}

bool KvCache::extend_prompt(Table& table, const Request& request, std::int64_t begin,
                            std::int64_t end) {
  if (blocks_between(begin, end) > free_.blocks()) return false;
  take_prompt_blocks(table, request, begin, end);
  return true;
}

// Survivors that are not claimed, behind a gap in the chain or in the place of the last token, may
// be found later; meanwhile this request makes second copies of them. From here on its prompt is
// treated like content that others may share: block by block.
void KvCache::share_remains(Table& table, const Request& request) {
  const std::int64_t count = free_.count(table.remains);
  PrefixWalk walk = walk_prompt(request, block_size_);
  std::vector<std::uint32_t> survivors;
  for (std::int64_t i = 0; i < count; ++i) {
    survivors.push_back(register_block(walk.block(table.shareable_blocks + i)));
  }
  std::reverse(survivors.begin(), survivors.end());  // the far end goes first
  for (const std::uint32_t id : survivors) {
    blocks_[id].references = 0;
    blocks_[id].free_at = free_.add_shared_before(table.remains, id);
  }
  free_.claim_own(table.remains, count);
  table.remains = FreeList::kNone;
  if (count == 0) return;
  table.shareable_blocks =
      std::max(request.input_tokens / block_size_, table.shareable_blocks + count);
}

// Blocks are filled in order: each prefix block is registered as soon as it is full, before the
// next one is taken.
void KvCache::take_prompt_blocks(Table& table, const Request& request, std::int64_t begin,
                                 std::int64_t end) {
  std::int64_t owned = ceil_div(begin, block_size_);
  const std::int64_t full = std::min(end / block_size_, table.shareable_blocks);
  PrefixWalk walk = walk_prompt(request, block_size_);
  for (auto k = static_cast<std::int64_t>(table.shared.size()); k < full; ++k) {
    if (k >= owned) {
      take(1);
      ++owned;
    }
    table.shared.push_back(register_block(walk.block(k)));
  }
  take(ceil_div(end, block_size_) - owned);
}

void KvCache::take(std::int64_t n) {
  misses_ += n;
  free_.take(n, [this](std::uint32_t id) { evict(id); });
}

void KvCache::release(Table& table, const Request& request, std::int64_t tokens, bool answer_only) {
  if (request.reusable) register_own_blocks(table, request, tokens, answer_only);
  const auto shared = static_cast<std::int64_t>(table.shared.size());
  free_.add_nothing(ceil_div(tokens, block_size_) - shared);
  release_shared(table);
  forget(table);
}

void KvCache::release_preempted(Table& table, const Request& request, std::int64_t tokens,
                                std::int64_t again, bool answer_only) {
  if (request.reusable) register_own_blocks(table, request, tokens, answer_only);
  if (request.reusable && prefix_caching_) table.shareable_blocks = again / block_size_;
  const auto shared = static_cast<std::int64_t>(table.shared.size());
  const std::int64_t owned = ceil_div(tokens, block_size_) - shared;
  // Full blocks that only this request can ask for again.
  std::int64_t kept = 0;
  if (prefix_caching_ && !answer_only) {
    kept = std::max<std::int64_t>(0, std::min(tokens, again) / block_size_ - shared);
  }
  free_.add_nothing(owned - kept);
  if (kept > 0) table.remains = free_.add_own(kept);
  release_shared(table);
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
  const auto prefix = answer_only ? std::span<const PrefixSegment>{} : request.prefix;
  PrefixWalk walk(prefix, request.own_content, block_size_);
  const std::int64_t full = answers_cached_ ? tokens / block_size_
                            : answer_only   ? 0
                                            : std::min<std::int64_t>(tokens, request.input_tokens);
  for (auto k = static_cast<std::int64_t>(table.shared.size()); k < full; ++k) {
    table.shared.push_back(register_block(walk.block(k)));
  }
}

void KvCache::release_shared(Table& table) {
  while (!table.shared.empty()) {
    const std::uint32_t id = table.shared.back();
    table.shared.pop_back();
    SharedBlock& block = blocks_[id];
    if (--block.references == 0) block.free_at = free_.add_shared(id);
  }
}

// A later block with the same content takes over the entry; the older one stays behind as a
// duplicate that lookups no longer find.
std::uint32_t KvCache::register_block(std::uint64_t identity) {
  std::uint32_t id = 0;
  if (unused_.empty()) {
    id = static_cast<std::uint32_t>(blocks_.size());
    blocks_.emplace_back();
  } else {
    id = unused_.back();
    unused_.pop_back();
  }
  blocks_[id] = {identity, 1, FreeList::kNone};
  const auto [entry, inserted] = by_identity_.insert({identity, id});
  if (!inserted) {
    ++duplicates_;
    entry.value() = id;
  }
  return id;
}

// Q4: the entry goes by content, even if it points to a live duplicate.
void KvCache::evict(std::uint32_t id) {
  const auto entry = by_identity_.find(blocks_[id].identity);
  const bool found = entry != by_identity_.end();
  if (!found || entry->second != id) --duplicates_;
  if (found) {
    if (entry->second != id) ++duplicates_;  // the live one is orphaned in its turn
    by_identity_.erase(entry);
  }
  unused_.push_back(id);
}

}  // namespace plimsoll
