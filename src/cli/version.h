// The version of the program, as CMakeLists.txt says it, and of its sources.
#pragma once

#include <string_view>

namespace plimsoll {

std::string_view version();

/// A hash of the sources that it was compiled from (cmake/build_id.cmake): the same in any folder.
std::string_view build_id();

}  // namespace plimsoll
