// The version of the program, as CMakeLists.txt says it, and of its sources. Called by the verbs
// that print it, and where answers of two programs must not be mixed (cli/plan_question.h).
#pragma once

#include <string_view>

namespace plimsoll {

std::string_view version();

/// A hash of the sources that it was compiled from (cmake/build_id.cmake): the same in any folder.
std::string_view build_id();

}  // namespace plimsoll
