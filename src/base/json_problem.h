// The fault of a text that somebody sent as JSON, in words for them. Defined in json.cc, which
// alone knows the library.
#pragma once

#include <string>
#include <string_view>

namespace plimsoll {

/// "it is empty", "no JSON from byte 27 on", "\"model\" is given twice", "it is nested too deep";
/// empty: nothing is.
std::string json_problem(std::string_view text);

}  // namespace plimsoll
