// The conversations so far of accumulating sessions: what the next prompt of each begins with.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "workload/request.h"

namespace plimsoll {

/// The content that a session's prompts share, in order.
struct SessionContext {
  PrefixSegment* segments = nullptr;
  std::size_t count = 0;
  std::size_t capacity = 0;
  std::int64_t tokens = 0;

  std::span<const PrefixSegment> prefix() const { return {segments, count}; }
};

/// Keeps the segments of all contexts: those once given to a request never move, as Request::prefix
/// demands.
class SessionContexts {
 public:
  void append(SessionContext* context, PrefixSegment segment);

  /// Adds a round: its new input and `answer_tokens` of its answer, both its own content.
  void append_round(SessionContext* context, const Request& request, std::int64_t answer_tokens);

 private:
  std::vector<std::unique_ptr<PrefixSegment[]>> arrays_;
};

}  // namespace plimsoll
