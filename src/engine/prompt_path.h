// Identity of KV blocks by content. The tokens of a request are a path of pieces: its prefix
// segments, then its own content, which the answer continues. A block belongs to the piece that
// holds its last token; two blocks are equal exactly when they have the same index and the paths up
// to their pieces are equal, for then all tokens up to their ends are.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <span>

#include "base/hash.h"
#include "workload/request.h"

namespace plimsoll {

/// Calls visit(path, first, last) for the blocks [from, to) piece by piece, in order: blocks
/// [first, last) belong to the piece that `path` identifies. Stops when visit returns false.
template <class Visit>
void for_each_piece(std::span<const PrefixSegment> prefix, std::uint64_t own_content,
                    std::int64_t block_size, std::int64_t from, std::int64_t to, Visit visit) {
  std::uint64_t path = 0;
  std::int64_t start = 0;
  for (std::size_t i = 0; from < to; ++i) {
    const bool own = i == prefix.size();
    const std::uint64_t content = own ? own_content : prefix[i].content;
    path = mix64(mix64(path, static_cast<std::uint64_t>(start)), content);
    start += own ? 0 : prefix[i].tokens;
    const std::int64_t end = own ? to : std::min(to, start / block_size);
    if (from >= end) continue;
    if (!visit(path, from, end)) return;
    from = end;
  }
}

}  // namespace plimsoll
