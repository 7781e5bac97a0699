// Identity of KV blocks by content. The tokens of a request are a path of pieces: its prefix
// segments, then its own content, which the answer continues. A block belongs to the piece that
// holds its last token; two blocks are equal exactly when they have the same index and the paths up
// to their pieces are equal, for then all tokens up to their ends are.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "base/hash.h"
#include "workload/request.h"

namespace plimsoll {

struct ContentPiece {
  std::uint64_t path = 0;      ///< identifies the piece and all before it
  std::int64_t end_block = 0;  ///< index after its last block
};

struct PathHash {
  std::size_t operator()(std::uint64_t path) const { return path; }  // mixed already
};

/// The pieces that have blocks, in order; the last one, the own content, has no end.
inline void content_pieces(std::span<const PrefixSegment> prefix, std::uint64_t own_content,
                           std::int64_t block_size, std::vector<ContentPiece>* pieces) {
  pieces->clear();
  pieces->reserve(prefix.size() + 1);
  std::uint64_t path = 0;
  std::int64_t start = 0;
  const auto enter = [&](std::uint64_t content) {
    path = mix64(mix64(path, static_cast<std::uint64_t>(start)), content);
  };
  for (const PrefixSegment& segment : prefix) {
    enter(segment.content);
    start += segment.tokens;
    const std::int64_t end = start / block_size;
    if (end > (pieces->empty() ? 0 : pieces->back().end_block)) pieces->push_back({path, end});
  }
  enter(own_content);
  pieces->push_back({path, std::numeric_limits<std::int64_t>::max()});
}

/// Calls visit(path, first, last) for the blocks [from, to) piece by piece, in order. Stops when
/// visit returns false.
template <class Visit>
void for_each_piece(std::span<const ContentPiece> pieces, std::int64_t from, std::int64_t to,
                    Visit visit) {
  auto piece = pieces.begin();
  for (; from < to; ++piece) {
    if (piece->end_block <= from) continue;
    const std::int64_t end = std::min(to, piece->end_block);
    if (!visit(piece->path, from, end)) return;
    from = end;
  }
}

/// The full KV blocks of a prompt, as routers tell prompts apart.
struct PromptBlocks {
  std::int64_t all = 0;
  std::int64_t shareable = 0;  ///< leading ones that another request may have, too
};

/// Fills `pieces` with the content of the prompt's blocks.
inline PromptBlocks prompt_blocks(const Request& request, std::int64_t block_size,
                                  std::vector<ContentPiece>* pieces) {
  content_pieces(request.prefix, request.own_content, block_size, pieces);
  PromptBlocks blocks;
  blocks.all = request.input_tokens / block_size;
  if (request.reusable) {
    blocks.shareable = blocks.all;
  } else {
    for (const PrefixSegment& segment : request.prefix) blocks.shareable += segment.tokens;
    blocks.shareable /= block_size;
  }
  return blocks;
}

}  // namespace plimsoll
