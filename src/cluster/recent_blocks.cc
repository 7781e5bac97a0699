#include "cluster/recent_blocks.h"

#include <algorithm>

namespace plimsoll {

void RecentBlocks::touch(std::span<const ContentPiece> pieces, std::int64_t shareable,
                         std::int64_t all) {
  for_each_piece(pieces, 0, shareable,
                 [&](std::uint64_t path, std::int64_t first, std::int64_t end) {
                   forget(path, first, end);
                   append({path, first, end, true});
                   return true;
                 });
  if (all > shareable) append({0, shareable, all, false});
  // What is left of a least-recently-used list are the latest blocks touched, whatever the order
  // of touching and forgetting: so forgetting can wait until here.
  if (blocks_ > capacity_) forget_oldest(blocks_ - capacity_);
}

void RecentBlocks::append(const Extent& added) {
  const std::int64_t count = added.end - added.first;
  blocks_ += count;
  if (!added.shareable && newest_ != kNone && !extent(newest_).shareable) {
    extent(newest_).end += count;
    return;
  }
  const Id id = create(added);
  link(id, newest_, kNone);
  if (!added.shareable) return;
  const auto [piece, inserted] = pieces_.insert({added.path, id});
  if (!inserted) {
    extent(id).next = piece->second;
    piece.value() = id;
  }
  holdings_.add(added.path, instance_, added.first, added.end);
}

// Of the blocks [first, end) of a piece those that are remembered.
void RecentBlocks::forget(std::uint64_t path, std::int64_t first, std::int64_t end) {
  const auto piece = pieces_.find(path);
  Id next = piece == pieces_.end() ? kNone : piece->second;
  while (next != kNone) {
    const Id id = next;
    next = extent(id).next;
    const std::int64_t from = std::max(first, extent(id).first);
    const std::int64_t to = std::min(end, extent(id).end);
    if (from >= to) continue;
    holdings_.remove(path, instance_, from, to);
    blocks_ -= to - from;
    if (to < extent(id).end && from > extent(id).first) {
      Extent rest = extent(id);
      rest.first = to;
      const Id high = create(rest);
      link(high, id, rest.newer);
      extent(id).end = from;
      extent(id).next = high;
    } else if (from > extent(id).first) {
      extent(id).end = from;
    } else if (to < extent(id).end) {
      extent(id).first = to;
    } else {
      unlink_from_piece(id);
      unlink(id);
    }
  }
}

void RecentBlocks::forget_oldest(std::int64_t blocks) {
  blocks_ -= blocks;
  while (blocks > 0) {
    const Id id = oldest_;
    Extent& oldest = extent(id);
    const std::int64_t gone = std::min(blocks, oldest.end - oldest.first);
    blocks -= gone;
    if (oldest.shareable) {
      holdings_.remove(oldest.path, instance_, oldest.first, oldest.first + gone);
    }
    oldest.first += gone;
    if (oldest.first < oldest.end) return;
    if (oldest.shareable) unlink_from_piece(id);
    unlink(id);
  }
}

void RecentBlocks::link(Id id, Id older, Id newer) {
  extent(id).older = older;
  extent(id).newer = newer;
  (older == kNone ? oldest_ : extent(older).newer) = id;
  (newer == kNone ? newest_ : extent(newer).older) = id;
}

void RecentBlocks::unlink(Id id) {
  const Id older = extent(id).older;
  const Id newer = extent(id).newer;
  (older == kNone ? oldest_ : extent(older).newer) = newer;
  (newer == kNone ? newest_ : extent(newer).older) = older;
  unused_.push_back(id);
}

void RecentBlocks::unlink_from_piece(Id id) {
  const auto piece = pieces_.find(extent(id).path);
  const Id next = extent(id).next;
  if (piece->second != id) {
    Id before = piece->second;
    while (extent(before).next != id) before = extent(before).next;
    extent(before).next = next;
  } else if (next != kNone) {
    piece.value() = next;
  } else {
    pieces_.erase(piece);
  }
}

RecentBlocks::Id RecentBlocks::create(const Extent& added) {
  if (unused_.empty()) {
    extents_.push_back(added);
    return static_cast<Id>(extents_.size()) - 1;
  }
  const Id id = unused_.back();
  unused_.pop_back();
  extent(id) = added;
  return id;
}

}  // namespace plimsoll
