#include "workload/session_context.h"

#include <algorithm>

namespace plimsoll {

void SessionContexts::append(SessionContext* context, PrefixSegment segment) {
  if (segment.tokens == 0) return;
  if (context->count == context->capacity) {
    // Requests still point at the old array: it stays.
    context->capacity = std::max<std::size_t>(4, 2 * context->capacity);
    arrays_.push_back(std::make_unique<PrefixSegment[]>(context->capacity));
    std::copy_n(context->segments, context->count, arrays_.back().get());
    context->segments = arrays_.back().get();
  }
  context->segments[context->count++] = segment;
  context->tokens += segment.tokens;
}

void SessionContexts::append_round(SessionContext* context, const Request& request,
                                   std::int64_t answer_tokens) {
  const std::int64_t new_input = request.input_tokens - context->tokens;
  append(context, {request.own_content, new_input + answer_tokens});
}

}  // namespace plimsoll
