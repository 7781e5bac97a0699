// No output may overwrite what the same command reads or another of its outputs.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "cli/parse.h"

namespace plimsoll {

struct NamedFile {
  std::string by;  ///< the flag, verb or file that names it
  std::string path;
};

/// The files that a command line names to be read.
std::vector<NamedFile> inputs_of(const Command& command);

/// An error that names both flags if an output of the command is one of its inputs or another
/// output, under whatever name. Called before anything is read; devices such as /dev/null may be
/// written as often as one likes. `more` are inputs that other inputs name.
Result<void> check_file_clashes(const Command& command, const std::vector<NamedFile>& more = {});

}  // namespace plimsoll
