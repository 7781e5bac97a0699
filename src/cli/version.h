// The version of the program, as CMakeLists.txt says it.
#pragma once

#include <string_view>

namespace plimsoll {

std::string_view version();

}  // namespace plimsoll
