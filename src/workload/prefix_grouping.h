// Which requests of a trace to call one prefix group, each of which has one prefix that all its
// prompts begin with, so that most of what the prompts share is kept. For fit.h.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "workload/workload.h"

namespace plimsoll {

struct PrefixGrouping {
  static constexpr std::size_t kNone = std::numeric_limits<std::size_t>::max();

  std::vector<std::size_t> group_of;  ///< of each request, or kNone
  std::vector<std::int64_t> tokens;   ///< of the prefix of each group
  std::int64_t prompt_tokens = 0;     ///< of all requests
  std::int64_t shared_tokens = 0;     ///< those that came before, in the prefixes of the trace
  std::int64_t kept_tokens = 0;       ///< those that came before in the groups
};

/// Every group saves at least a thousandth of the prompt tokens, so there are at most a thousand.
PrefixGrouping group_by_prefix(const Workload& workload);

}  // namespace plimsoll
