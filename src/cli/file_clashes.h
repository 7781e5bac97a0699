// No output may overwrite what the same command reads or another of its outputs.
#pragma once

#include <string>

#include "base/result.h"
#include "cli/parse.h"

namespace plimsoll {

/// An error that names both flags if an output of the command is one of its inputs or another
/// output, under whatever name. Called before anything is read; devices such as /dev/null may be
/// written as often as one likes.
Result<void> check_file_clashes(const Command& command);

}  // namespace plimsoll
