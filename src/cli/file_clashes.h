// No output may overwrite what the same command reads or another of its outputs.
#pragma once

#include "base/result.h"
#include "cli/parse.h"

namespace plimsoll {

/// Called once for every verb, before anything is read: an error that names both flags if an output
/// of the command line is one of its inputs or another output, under whatever name (devices such as
/// /dev/null may be written as often as one likes), and what check_replaceable() says. From then on
/// the outputs are held, and inputs that other inputs name are held to them
/// (base/command_files.h).
Result<void> claim_outputs(const Command& command);

}  // namespace plimsoll
