// The full KV blocks of a prompt, as routers tell prompts apart.
#pragma once

#include <cstdint>
#include <vector>

#include "engine/prompt_path.h"
#include "workload/request.h"

namespace plimsoll {

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
