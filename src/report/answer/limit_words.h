// What holds a run back, in words: what metrics/bottleneck.h found. Called by every answer.
#pragma once

#include <string>
#include <string_view>

#include "metrics/bottleneck.h"

namespace plimsoll {

std::string_view name_of(LimitKind limit);         ///< "memory"
std::string_view name_of(ShortResource resource);  ///< "decode bandwidth"

/// One sentence with the figures behind it, without a period.
std::string reason_text(const Limit& limit);
/// Likewise: what would help, with the figures to try; empty if nothing would.
std::string lever_text(const Limit& limit);

}  // namespace plimsoll
