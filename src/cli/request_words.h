// What `plimsoll plan` reads from its request and other verbs, or other planners, have a flag for:
// asked by the parser where a flag or its value is none of the verb's.
#pragma once

#include <string>
#include <string_view>

namespace plimsoll {

/// A hint where it belongs; empty: no such word.
std::string place_in_request(std::string_view flag);

}  // namespace plimsoll
