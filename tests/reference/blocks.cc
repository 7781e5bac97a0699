#include "reference/blocks.h"

#include <algorithm>

namespace plimsoll::reference {

std::vector<Token> all_tokens(const Request& request) {
  std::vector<Token> tokens;
  for (const PrefixSegment& segment : request.prefix) {
    for (std::int64_t i = 0; i < segment.tokens; ++i) tokens.push_back({segment.content, i});
  }
  const auto total = static_cast<std::size_t>(request.input_tokens + request.output_tokens);
  for (std::int64_t i = 0; tokens.size() < total; ++i) tokens.push_back({request.own_content, i});
  return tokens;
}

BlockPool::BlockPool(std::int64_t total_blocks, std::int64_t block_size,
                     bool one_token_answer_blocks, bool copies_stay)
    : block_size_(static_cast<std::size_t>(block_size)),
      one_token_answer_blocks_(one_token_answer_blocks),
      copies_stay_(copies_stay),
      blocks_(static_cast<std::size_t>(total_blocks)) {
  for (std::size_t id = 0; id < blocks_.size(); ++id) {
    blocks_[id].place = free_.insert(free_.end(), id);
  }
}

std::vector<std::size_t> BlockPool::find_prefix(const std::vector<Token>& input) const {
  std::vector<std::size_t> found;
  HashChain chain;
  while (chain.size() + block_size_ <= input.size()) {
    const auto begin = input.begin() + static_cast<std::ptrdiff_t>(chain.size());
    chain.insert(chain.end(), begin, begin + static_cast<std::ptrdiff_t>(block_size_));
    const auto hit = registered_.find(chain);
    if (hit == registered_.end()) break;
    found.push_back(hit->second.front());
  }
  return found;
}

bool BlockPool::allocate(std::size_t request, const std::vector<Token>& tokens, Phase phase,
                         const std::vector<std::size_t>& cached) {
  // A prompt that is cached as a whole asks for nothing and gets nothing: its blocks are not even
  // claimed.
  if (tokens.empty()) return true;
  if (wanted(request, tokens.size(), cached) > std::ssize(free_)) return false;

  std::vector<std::size_t>& owned = owned_[request];
  if (owned.empty()) claim(&owned, cached);
  auto token = tokens.begin();
  if (!owned.empty() && !is_full(blocks_[owned.back()])) {
    Block& last = blocks_[owned.back()];
    while (token != tokens.end() && !is_full(last)) last.tokens.push_back(*token++);
    if (is_full(last)) register_last(owned);
  }
  while (token != tokens.end()) {
    owned.push_back(take_oldest_free());
    Block& last = blocks_[owned.back()];
    while (token != tokens.end() && !is_full(last)) last.tokens.push_back(*token++);
    const bool hashed = phase == Phase::prefill || one_token_answer_blocks_;
    if (is_full(last) && hashed) register_last(owned);
  }
  return true;
}

std::int64_t BlockPool::owned(std::size_t request) const {
  const auto found = owned_.find(request);
  return found == owned_.end() ? 0 : std::ssize(found->second);
}

std::int64_t BlockPool::wanted(std::size_t request, std::size_t tokens,
                               const std::vector<std::size_t>& cached) const {
  if (tokens == 0) return 0;
  const auto found = owned_.find(request);
  const std::vector<std::size_t> owned =
      found == owned_.end() ? std::vector<std::size_t>{} : found->second;
  const std::size_t room = owned.empty() ? 0 : block_size_ - blocks_[owned.back()].tokens.size();
  const std::size_t rest = tokens - std::min(tokens, room);
  const std::size_t new_blocks = (rest + block_size_ - 1) / block_size_;
  return static_cast<std::int64_t>(new_blocks) + unused_of(cached);
}

std::int64_t BlockPool::unused_of(const std::vector<std::size_t>& cached) const {
  return std::count_if(cached.begin(), cached.end(),
                       [&](std::size_t block) { return blocks_[block].references == 0; });
}

void BlockPool::claim_for(std::size_t request, const std::vector<std::size_t>& cached) {
  claim(&owned_[request], cached);
}

void BlockPool::claim(std::vector<std::size_t>* owned, const std::vector<std::size_t>& cached) {
  for (const std::size_t id : cached) {
    Block& block = blocks_[id];
    if (block.references == 0) free_.erase(block.place);
    ++block.references;
    ++hits_;
    owned->push_back(id);
  }
}

std::size_t BlockPool::take_oldest_free() {
  const std::size_t id = free_.front();
  free_.pop_front();
  Block& block = blocks_[id];
  if (!block.hash.empty() && copies_stay_) {
    std::vector<std::size_t>& copies = registered_.at(block.hash);
    std::erase(copies, id);
    if (copies.empty()) registered_.erase(block.hash);
  } else if (!block.hash.empty()) {
    registered_.erase(block.hash);  // of a younger block of the same content, too
  }
  block.hash.clear();
  block.tokens.clear();
  block.references = 1;
  ++misses_;
  return id;
}

void BlockPool::register_last(const std::vector<std::size_t>& owned) {
  Block& last = blocks_[owned.back()];
  last.hash = owned.size() > 1 ? blocks_[owned[owned.size() - 2]].hash : HashChain{};
  last.hash.insert(last.hash.end(), last.tokens.begin(), last.tokens.end());
  std::vector<std::size_t>& copies = registered_[last.hash];
  if (!copies_stay_) copies.clear();
  copies.push_back(owned.back());
}

std::set<HashChain> BlockPool::registered() const {
  std::set<HashChain> chains;
  for (const auto& [chain, copies] : registered_) chains.insert(chain);
  return chains;
}

void BlockPool::release(std::size_t request) {
  std::vector<std::size_t>& owned = owned_[request];
  for (auto id = owned.rbegin(); id != owned.rend(); ++id) {
    Block& block = blocks_[*id];
    if (--block.references == 0) block.place = free_.insert(free_.end(), *id);
  }
  owned.clear();
}

}  // namespace plimsoll::reference
