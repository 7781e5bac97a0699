// A flag of a printed command, as a POSIX shell takes it. Called by whatever prints commands: the
// figures of plans, next steps, cli/typed_flags.h.
#pragma once

#include <string>

namespace plimsoll {

/// Of a word of a command line: "--rate=10" -> " --rate 10", "--check" -> " --check". A switch that
/// is off, and whatever else reads "false" or like a flag, stays one word: " --check=false".
std::string typed_word(const std::string& word);

}  // namespace plimsoll
