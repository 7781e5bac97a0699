// The free KV blocks of an instance, least recently used first, as extents of neighbours: the cost
// follows the number of extents, not of blocks. Taking starts at the head, returning adds to the
// tail. Blocks have no numbers: what matters of a free block is only the content it still holds.
#pragma once

#include <cstdint>
#include <vector>

namespace plimsoll {

/// The content that an extent of free blocks still holds. The blocks of a piece of content lie with
/// the last one first: it is taken first.
enum class FreeContent : std::uint8_t {
  nothing,  ///< content that no lookup can ask for
  own,      ///< leading own blocks of one waiting request
  shared,   ///< blocks with shareable content (owner: their run)
};

class FreeList {
 public:
  using Extent = std::int32_t;
  static constexpr Extent kNone = -1;

  explicit FreeList(std::int64_t blocks);

  std::int64_t blocks() const { return blocks_; }

  /// Adds to the tail. Extents with nothing in them merge with a neighbour of the same kind, so
  /// no handle is given for them.
  void add_nothing(std::int64_t blocks);
  Extent add_own(std::int64_t blocks);
  Extent add_shared(std::uint32_t owner, std::int64_t blocks);

  /// Takes n blocks from the head (n <= blocks()). on_evict(owner, k) is called when the last k
  /// blocks of a shared extent are taken; the handle of one that is eaten up ends then. An own
  /// extent that is eaten up stays a valid, empty handle.
  template <class OnEvict>
  void take(std::int64_t n, OnEvict on_evict) {
    if (n == 0) return;
    blocks_ -= n;
    if (Node& head = node(head_); head.content == FreeContent::nothing && n < head.count) {
      head.count -= n;  // the usual case
      return;
    }
    while (n > 0) {
      const Extent extent = head_;
      Node& head = node(extent);
      const std::int64_t taken = n < head.count ? n : head.count;
      const FreeContent content = head.content;
      const std::uint32_t owner = head.owner;
      n -= taken;
      head.count -= taken;
      if (head.count == 0) {
        unlink(extent);
        if (content != FreeContent::own) recycle(extent);
      }
      if (content == FreeContent::shared) on_evict(owner, taken);
    }
  }

  std::int64_t count(Extent extent) const { return nodes_[static_cast<std::size_t>(extent)].count; }

  /// Takes a shared extent out of the list; its handle ends.
  void claim_shared(Extent shared);
  /// Makes the blocks of a shared extent from `low` on an extent of their own, for `owner`.
  Extent split_shared(Extent shared, std::int64_t low, std::uint32_t owner);

  /// Takes the leading n blocks of an own extent (n <= count); the rest cannot be asked for again.
  /// Its handle ends.
  void claim_own(Extent own, std::int64_t n);
  /// The content of an own extent will not be asked for again; its handle ends.
  void forget(Extent own) { claim_own(own, 0); }
  /// Others may ask for the content of an own extent (count > 0) from now on.
  void share(Extent own, std::uint32_t owner);

 private:
  struct Node {
    Extent previous = kNone;
    Extent next = kNone;
    std::int64_t count = 0;
    std::uint32_t owner = 0;
    FreeContent content = FreeContent::nothing;
  };

  Node& node(Extent extent) { return nodes_[static_cast<std::size_t>(extent)]; }
  Extent append(FreeContent content, std::int64_t count, std::uint32_t owner);
  Extent allocate(const Node& node);
  void unlink(Extent extent);
  void recycle(Extent extent) { unused_.push_back(extent); }

  std::vector<Node> nodes_;
  std::vector<Extent> unused_;
  Extent head_ = kNone;
  Extent tail_ = kNone;
  std::int64_t blocks_ = 0;
};

}  // namespace plimsoll
