// How every verb that writes files ends: the answer goes to stdout first, then the files beside it,
// each whatever became of the others, then the errors. A disk that is full takes no answer with it.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace plimsoll {

/// Writes a file, and what else is to be done once the answer has been printed.
using SideFile = std::function<Result<void>()>;

/// Returns the exit code: of the first failure, else `exit_code`.
int hand_over(std::string_view answer, const std::vector<SideFile>& files, int exit_code = 0);

/// A file of text that is made when it is written.
SideFile side_file(const std::string& path, std::function<std::string()> text);

}  // namespace plimsoll
