// What a prefix cache without limits would find: every block of every earlier prompt, by the block
// identities of the engine (engine/prompt_path.h). Measures how much of a workload comes again.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <tsl/robin_map.h>

#include "engine/prompt_path.h"
#include "workload/request.h"

namespace plimsoll {

class InfiniteCache {
 public:
  /// Blocks of this many tokens; only whole blocks are shared.
  explicit InfiniteCache(std::int64_t block_tokens) : block_tokens_(block_tokens) {}

  /// The tokens at the start of this prompt that are there already; then adds its blocks, and those
  /// of its answer if later prompts may begin with them. The last token of a prompt is always
  /// computed, so a prompt is never found whole.
  std::int64_t add(const Request& request);

  /// The content that was found at least once: what is worth keeping.
  std::int64_t reused_tokens() const { return reused_blocks_ * block_tokens_; }

 private:
  struct Piece {
    std::int64_t end = 0;         // index after its last block that is there
    std::int64_t reused_end = 0;  // index after its last block that was found
  };
  struct PathHash {
    std::size_t operator()(std::uint64_t path) const { return path; }  // is a hash
  };

  std::int64_t find(std::int64_t blocks);
  void insert(std::int64_t blocks, bool own_content);

  std::int64_t block_tokens_;
  std::int64_t reused_blocks_ = 0;
  tsl::robin_map<std::uint64_t, Piece, PathHash> known_;
  std::vector<ContentPiece> pieces_;  // of the request at hand
};

}  // namespace plimsoll
