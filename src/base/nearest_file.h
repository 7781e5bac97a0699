// The file that a mistyped path may mean.
#pragma once

#include <string>

namespace plimsoll {

/// The path of what has a name like it in the same folder, or "". It looks at the disk, which
/// sealed commands (base/command_files.h) must not.
std::string nearest_file(const std::string& path);

}  // namespace plimsoll
