// Why the figures are what they are, for people: what holds the system back, the time of its
// requests as one bar, and the lever.
#pragma once

#include <cstddef>
#include <string>

#include "metrics/bottleneck.h"

namespace plimsoll {

/// Lines within `width` columns, their text from column `indent` on, each ended by a newline.
std::string why_text(const Bottleneck& bottleneck, bool utf8, std::size_t indent,
                     std::size_t width);

}  // namespace plimsoll
