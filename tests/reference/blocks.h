// The KV cache of the reference twin: one node per block, every token kept, content compared
// token by token. Slow and plain on purpose; it judges the engine's cache.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <list>
#include <map>
#include <set>
#include <vector>

#include "workload/request.h"

namespace plimsoll::reference {

/// A token is known by the piece of content it comes from and its place in that piece.
struct Token {
  std::uint64_t content = 0;
  std::int64_t offset = 0;

  friend auto operator<=>(const Token&, const Token&) = default;
};

/// Stands for a chained block hash: the hashed tokens themselves, from the start of the chain to
/// the end of the block. Two chains are equal exactly when their hashes would be. Empty: no hash.
using HashChain = std::vector<Token>;

/// Prompt and answer, token by token: the shared segments, then the request's own content, which
/// runs on from the rest of the prompt into the answer.
std::vector<Token> all_tokens(const Request& request);

class BlockPool {
 public:
  enum class Phase { prefill, decode };

  /// `one_token_answer_blocks`: a block that a decode step both takes and fills is hashed, too.
  /// `copies_stay`: of several blocks with one hash the oldest is found, until it is taken.
  BlockPool(std::int64_t total_blocks, std::int64_t block_size, bool one_token_answer_blocks,
            bool copies_stay);

  /// The blocks that hold the leading full blocks of `input`, up to the first one not found.
  /// Changes nothing, not even recency.
  std::vector<std::size_t> find_prefix(const std::vector<Token>& input) const;

  /// Appends `tokens` to the blocks of `request`, which first claims `cached` if it owns nothing.
  /// False, with nothing changed, when the free blocks do not suffice.
  bool allocate(std::size_t request, const std::vector<Token>& tokens, Phase phase,
                const std::vector<std::size_t>& cached);

  /// Blocks that would leave the free list by that.
  std::int64_t wanted(std::size_t request, std::size_t tokens,
                      const std::vector<std::size_t>& cached) const;

  /// How many of them nobody uses.
  std::int64_t unused_of(const std::vector<std::size_t>& cached) const;
  /// `request`, which owns nothing, claims them and takes no other.
  void claim_for(std::size_t request, const std::vector<std::size_t>& cached);

  void release(std::size_t request);

  /// The content that can be found now.
  std::set<HashChain> registered() const;

  std::int64_t owned(std::size_t request) const;
  std::int64_t used() const { return total() - static_cast<std::int64_t>(free_.size()); }
  std::int64_t total() const { return static_cast<std::int64_t>(blocks_.size()); }
  std::int64_t hits() const { return hits_; }
  std::int64_t misses() const { return misses_; }

 private:
  struct Block {
    int references = 0;
    std::vector<Token> tokens;
    HashChain hash;
    std::list<std::size_t>::iterator place;  // in free_, while references is 0
  };

  bool is_full(const Block& block) const { return block.tokens.size() == block_size_; }
  void claim(std::vector<std::size_t>* owned, const std::vector<std::size_t>& cached);
  std::size_t take_oldest_free();
  void register_last(const std::vector<std::size_t>& owned);

  std::size_t block_size_;
  bool one_token_answer_blocks_;
  bool copies_stay_;
  std::vector<Block> blocks_;
  std::list<std::size_t> free_;  // taken at the front, returned at the back
  std::map<HashChain, std::vector<std::size_t>> registered_;  // the first of them is found
  std::map<std::size_t, std::vector<std::size_t>> owned_;
  std::int64_t hits_ = 0;
  std::int64_t misses_ = 0;
};

}  // namespace plimsoll::reference
