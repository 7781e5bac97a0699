// Numbers on a page that keep their units: no line ends between "1.22" and "s".
#pragma once

#include <string>
#include <string_view>

namespace plimsoll {

/// The markup with such spaces as no line ends at, outside of tags, scripts and commands. "p99 ms"
/// is a name, no quantity.
std::string with_whole_quantities(std::string_view markup);

}  // namespace plimsoll
