// Identity of KV blocks by content. A prompt is a path of content pieces: its prefix segments, then
// the request's own content, which the answer continues. A block is identified by the path up to
// the piece that holds its last token and by its index, so two blocks are equal exactly when all
// tokens up to their ends are.
#pragma once

#include <cstdint>
#include <limits>
#include <span>

#include "base/hash.h"
#include "workload/request.h"

namespace plimsoll {

class PrefixWalk {
 public:
  PrefixWalk(std::span<const PrefixSegment> prefix, std::uint64_t own_content,
             std::int64_t block_size)
      : prefix_(prefix), own_content_(own_content), block_size_(block_size) {}

  /// Identity of block k; calls must come with growing k.
  std::uint64_t block(std::int64_t k) {
    const std::int64_t last_token = (k + 1) * block_size_ - 1;
    while (last_token >= end_) enter_next();
    return mix64(path_, static_cast<std::uint64_t>(k));
  }

 private:
  void enter_next() {
    const bool own = next_ == prefix_.size();
    path_ = mix64(mix64(path_, static_cast<std::uint64_t>(end_)),
                  own ? own_content_ : prefix_[next_].content);
    end_ = own ? std::numeric_limits<std::int64_t>::max() : end_ + prefix_[next_].tokens;
    ++next_;
  }

  std::span<const PrefixSegment> prefix_;
  std::uint64_t own_content_;
  std::int64_t block_size_;
  std::size_t next_ = 0;
  std::int64_t end_ = 0;    ///< tokens up to the end of the current piece
  std::uint64_t path_ = 0;  ///< pieces up to and including the current one
};

}  // namespace plimsoll
