// How much of the KV cache an admission sets aside or leaves alone.
#pragma once

#include <algorithm>

#include "base/numbers.h"
#include "engine/batch_draft.h"

namespace plimsoll {

/// Left free by admissions, so that decodes do not soon push the newcomer out again: 1 %, as in
/// vLLM before V1 (`watermark`) and those that took over its block manager.
inline std::int64_t watermark_blocks(const EngineConfig& limits) {
  return limits.total_kv_blocks / 100;
}

inline KvCache::Room room_for(std::int64_t tokens, const EngineConfig& limits) {
  return {.set_aside = std::min(ceil_div(tokens, limits.block_size), limits.total_kv_blocks)};
}

/// For the longest request that is allowed, or what the request will take if there is no limit.
inline KvCache::Room room_for_longest(const EngineConfig& limits,
                                      const BatchDraft::Candidate& candidate) {
  const std::int64_t own = candidate.to_prefill + candidate.decodes;
  return room_for(limits.max_model_len > 0 ? limits.max_model_len : own, limits);
}

}  // namespace plimsoll
