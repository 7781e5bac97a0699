// The help texts, made from the tables of verbs and flags.
#pragma once

#include <string>

#include "cli/verbs.h"

namespace plimsoll {

/// What `plimsoll` and `plimsoll --help` print; every line fits 100 columns.
std::string overview_help();

/// What `plimsoll VERB --help` and `plimsoll help VERB` print, as wide.
std::string verb_help(const Verb& verb);

}  // namespace plimsoll
