#include "metrics/infinite_cache.h"

#include <algorithm>

namespace plimsoll {

std::int64_t InfiniteCache::add(const Request& request) {
  content_pieces(request.prefix, request.own_content, block_tokens_, &pieces_);
  const std::int64_t hit = find(std::max(request.input_tokens - 1, 0) / block_tokens_);
  const std::int64_t kept = std::int64_t{request.input_tokens} +
                            (request.reusable ? std::int64_t{request.output_tokens} : 0);
  insert(kept / block_tokens_, request.reusable);
  return hit * block_tokens_;
}

// The first `blocks` blocks of the path, as far as they are known.
std::int64_t InfiniteCache::find(std::int64_t blocks) {
  std::int64_t hit = 0;
  for_each_piece(pieces_, 0, blocks,
                 [&](std::uint64_t path, std::int64_t first, std::int64_t last) {
                   const auto at = known_.find(path);
                   if (at == known_.end() || at->second.end <= first) return false;
                   hit = std::min(at->second.end, last);
                   std::int64_t& reused_end = at.value().reused_end;
                   if (hit > std::max(reused_end, first)) {
                     reused_blocks_ += hit - std::max(reused_end, first);
                     reused_end = hit;
                   }
                   return hit == last;
                 });
  return hit;
}

// Content that no other request has need not be remembered.
void InfiniteCache::insert(std::int64_t blocks, bool own_content) {
  if (!own_content) pieces_.pop_back();
  const std::int64_t end = pieces_.empty() ? 0 : std::min(blocks, pieces_.back().end_block);
  for_each_piece(pieces_, 0, end, [&](std::uint64_t path, std::int64_t, std::int64_t last) {
    Piece& piece = known_[path];
    piece.end = std::max(piece.end, last);
    return true;
  });
}

}  // namespace plimsoll
