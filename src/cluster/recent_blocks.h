// The prefix blocks that a router remembers to have sent to one instance: the least recently used
// ones are forgotten first. Kept as extents of neighbours, so the cost follows the number of pieces
// of a prompt, not of blocks.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <tsl/robin_map.h>

#include "cluster/prefix_holdings.h"
#include "engine/prompt_path.h"

namespace plimsoll {

class RecentBlocks {
 public:
  /// `holdings` outlives this and is told what is remembered of `instance`.
  RecentBlocks(std::uint32_t instance, std::int64_t capacity, PrefixHoldings& holdings)
      : instance_(instance), capacity_(capacity), holdings_(holdings) {}

  /// The prompt's blocks become the most recent ones, its last block the very last: `shareable`
  /// ones that others may ask for, then, up to `all`, ones that only take up room.
  void touch(std::span<const ContentPiece> pieces, std::int64_t shareable, std::int64_t all);

 private:
  using Id = std::int32_t;
  static constexpr Id kNone = -1;

  struct Extent {
    std::uint64_t path = 0;
    std::int64_t first = 0;
    std::int64_t end = 0;
    bool shareable = false;
    Id older = kNone;
    Id newer = kNone;
    Id next = kNone;  ///< of the same piece, in no order
  };

  Extent& extent(Id id) { return extents_[static_cast<std::size_t>(id)]; }
  void forget(std::uint64_t path, std::int64_t first, std::int64_t end);
  void forget_oldest(std::int64_t blocks);
  void append(const Extent& extent);
  void link(Id id, Id older, Id newer);
  void unlink(Id id);
  void unlink_from_piece(Id id);
  Id create(const Extent& extent);

  std::uint32_t instance_;
  std::int64_t capacity_;
  PrefixHoldings& holdings_;
  std::vector<Extent> extents_;
  std::vector<Id> unused_;
  tsl::robin_map<std::uint64_t, Id, PathHash> pieces_;  ///< an extent of each piece
  Id oldest_ = kNone;
  Id newest_ = kNone;
  std::int64_t blocks_ = 0;
};

}  // namespace plimsoll
