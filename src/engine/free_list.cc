#include "engine/free_list.h"

namespace plimsoll {

FreeList::FreeList(std::int64_t blocks) { add_nothing(blocks); }

void FreeList::add_nothing(std::int64_t blocks) {
  if (blocks == 0) return;
  if (tail_ != kNone) {
    Node& tail = nodes_[static_cast<std::size_t>(tail_)];
    if (tail.content == FreeContent::nothing) {
      tail.count += blocks;
      blocks_ += blocks;
      return;
    }
  }
  append(FreeContent::nothing, blocks, 0);
}

FreeList::Extent FreeList::add_own(std::int64_t blocks) {
  return append(FreeContent::own, blocks, 0);
}

FreeList::Extent FreeList::add_shared(std::uint32_t owner) {
  return append(FreeContent::shared, 1, owner);
}

FreeList::Extent FreeList::add_shared_before(Extent extent, std::uint32_t owner) {
  const Extent previous = nodes_[static_cast<std::size_t>(extent)].previous;
  const Extent added = allocate({previous, extent, 1, owner, FreeContent::shared});
  nodes_[static_cast<std::size_t>(extent)].previous = added;
  (previous == kNone ? head_ : nodes_[static_cast<std::size_t>(previous)].next) = added;
  ++blocks_;
  return added;
}

void FreeList::claim_shared(Extent shared) {
  unlink(shared);
  recycle(shared);
  --blocks_;
}

void FreeList::claim_own(Extent own, std::int64_t n) {
  Node& node = nodes_[static_cast<std::size_t>(own)];
  const bool listed = node.count > 0;
  node.count -= n;
  blocks_ -= n;
  if (node.count > 0) {
    node.content = FreeContent::nothing;
    return;
  }
  if (listed) unlink(own);
  recycle(own);
}

void FreeList::forget(Extent own) { claim_own(own, 0); }

FreeList::Extent FreeList::append(FreeContent content, std::int64_t count, std::uint32_t owner) {
  const Extent extent = allocate({tail_, kNone, count, owner, content});
  (tail_ == kNone ? head_ : nodes_[static_cast<std::size_t>(tail_)].next) = extent;
  tail_ = extent;
  blocks_ += count;
  return extent;
}

FreeList::Extent FreeList::allocate(const Node& node) {
  if (unused_.empty()) {
    nodes_.push_back(node);
    return static_cast<Extent>(nodes_.size()) - 1;
  }
  const Extent extent = unused_.back();
  unused_.pop_back();
  nodes_[static_cast<std::size_t>(extent)] = node;
  return extent;
}

void FreeList::unlink(Extent extent) {
  const Node& node = nodes_[static_cast<std::size_t>(extent)];
  (node.previous == kNone ? head_ : nodes_[static_cast<std::size_t>(node.previous)].next) =
      node.next;
  (node.next == kNone ? tail_ : nodes_[static_cast<std::size_t>(node.next)].previous) =
      node.previous;
}

}  // namespace plimsoll
