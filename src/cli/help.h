// The help texts, made from the tables of verbs and flags.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/verbs.h"

namespace plimsoll {

/// Columns of all help.
inline constexpr std::size_t kHelpWidth = 80;

/// The help that `plimsoll --help` prints; every line fits 80 columns.
std::string overview_help();

/// The help that `plimsoll` and `plimsoll -h` print: the everyday verbs, and three examples.
std::string overview_short_help();

/// The help that `plimsoll VERB --help` and `plimsoll help VERB` print, as wide.
std::string verb_help(const Verb& verb);

/// The help that `plimsoll VERB -h` prints: how it is called, examples, the flags that are asked
/// for first.
std::string verb_short_help(const Verb& verb);

// The parts that the manual page shows, too.

/// A sentence on what Plimsoll is.
std::string_view introduction();
/// The flag as the verb has it: some have a default of their own.
Flag flag_for(const Verb& verb, const Flag& flag);
/// The help of a flag with its other names and its default.
std::string flag_help(const Flag& flag);
const std::vector<std::pair<int, std::string>>& exit_codes();

}  // namespace plimsoll
