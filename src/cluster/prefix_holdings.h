// Which instances hold which prefix blocks: one answer for all instances at once. Routers ask it
// about what instances have in their KV caches, or are thought to have (recent_blocks.h). Kept by
// changes, never copied; a question costs O(pieces of the prompt + instances that hold them).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <tsl/robin_map.h>

#include "engine/prompt_path.h"

namespace plimsoll {

/// Blocks are named by the path of their piece and their index (prompt_path.h).
class PrefixHoldings {
 public:
  /// `instance` holds the blocks [first, end) of a piece; it held none of them before.
  void add(std::uint64_t path, std::uint32_t instance, std::int64_t first, std::int64_t end);
  /// `instance` does not hold any of these blocks any more; it held all of them.
  void remove(std::uint64_t path, std::uint32_t instance, std::int64_t first, std::int64_t end);

  /// Fills leading[i] with the number of blocks that instance i holds without a gap from the start
  /// of a prompt, of the first `blocks` ones.
  void count_leading(std::span<const ContentPiece> pieces, std::int64_t blocks,
                     std::span<double> leading) const;

 private:
  using Id = std::uint32_t;
  static constexpr Id kNone = 0xffffffff;

  /// Held blocks of a piece, neighbours merged; linked by instance, then by index.
  struct Range {
    std::int64_t first = 0;
    std::int64_t end = 0;
    std::uint32_t instance = 0;
    Id next = kNone;
  };

  Id create(const Range& range);
  void unlink(std::uint64_t path, Id before, Id id);

  std::vector<Range> ranges_;
  std::vector<Id> unused_;
  tsl::robin_map<std::uint64_t, Id, PathHash> pieces_;  ///< first range of each piece
};

}  // namespace plimsoll
