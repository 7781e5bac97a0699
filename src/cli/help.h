// The help texts, made from the table of flags.
#pragma once

#include <string>

#include "cli/flags.h"

namespace plimsoll {

/// What `plimsoll` and `plimsoll --help` print.
std::string overview_help();

/// What `plimsoll VERB --help` prints; every line fits 100 columns.
std::string verb_help(Verb verb);

}  // namespace plimsoll
