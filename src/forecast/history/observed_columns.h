// Columns of a history that are no demand of a resource: retries, prompts found in the cache, and
// latencies. Left out where demand is read (forecast/runway/sheet.h), set against the forecast by
// forecast/runway/actuals.h.
#pragma once

#include <array>
#include <string_view>

#include "metrics/figures.h"

namespace plimsoll {

inline constexpr std::array<Figure, 6> kLatencyColumns{figure("ttft_p95_ms"), figure("ttft_p99_ms"),
                                                       figure("tpot_p95_ms"), figure("tpot_p99_ms"),
                                                       figure("e2e_p95_ms"),  figure("e2e_p99_ms")};

inline constexpr std::string_view kRetriesColumn = "retries";
inline constexpr std::string_view kCachedColumn = "cached_prompt_tokens";  ///< of prompt_tokens

}  // namespace plimsoll
