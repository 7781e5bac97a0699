#include "engine/free_list.h"

namespace plimsoll {

FreeList::FreeList(std::int64_t blocks) { add_nothing(blocks); }

void FreeList::add_nothing(std::int64_t blocks) {
  if (blocks == 0) return;
  if (tail_ != kNone && node(tail_).content == FreeContent::nothing) {
    node(tail_).count += blocks;
    blocks_ += blocks;
  } else {
    append(FreeContent::nothing, blocks, 0);
  }
}

FreeList::Extent FreeList::add_own(std::int64_t blocks) {
  return append(FreeContent::own, blocks, 0);
}

FreeList::Extent FreeList::add_shared(std::uint32_t owner, std::int64_t blocks) {
  return append(FreeContent::shared, blocks, owner);
}

void FreeList::claim_shared(Extent shared) {
  blocks_ -= node(shared).count;
  unlink(shared);
  recycle(shared);
}

FreeList::Extent FreeList::split_shared(Extent shared, std::int64_t low, std::uint32_t owner) {
  const Extent previous = node(shared).previous;
  const std::int64_t high = node(shared).count - low;
  const Extent added = allocate({previous, shared, high, owner, FreeContent::shared});
  node(shared).count = low;
  node(shared).previous = added;
  (previous == kNone ? head_ : node(previous).next) = added;
  return added;
}

void FreeList::claim_own(Extent own, std::int64_t n) {
  const bool listed = node(own).count > 0;
  node(own).count -= n;
  blocks_ -= n;
  if (node(own).count > 0) {
    node(own).content = FreeContent::nothing;
    return;
  }
  if (listed) unlink(own);
  recycle(own);
}

void FreeList::share(Extent own, std::uint32_t owner) {
  node(own).content = FreeContent::shared;
  node(own).owner = owner;
}

FreeList::Extent FreeList::append(FreeContent content, std::int64_t count, std::uint32_t owner) {
  const Extent extent = allocate({tail_, kNone, count, owner, content});
  (tail_ == kNone ? head_ : node(tail_).next) = extent;
  tail_ = extent;
  blocks_ += count;
  return extent;
}

FreeList::Extent FreeList::allocate(const Node& added) {
  if (unused_.empty()) {
    nodes_.push_back(added);
    return static_cast<Extent>(nodes_.size()) - 1;
  }
  const Extent extent = unused_.back();
  unused_.pop_back();
  node(extent) = added;
  return extent;
}

void FreeList::unlink(Extent extent) {
  const Node gone = node(extent);
  (gone.previous == kNone ? head_ : node(gone.previous).next) = gone.next;
  (gone.next == kNone ? tail_ : node(gone.next).previous) = gone.previous;
}

}  // namespace plimsoll
