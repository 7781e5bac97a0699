// Reading a whole file into memory, with errors a user can act on.
#pragma once

#include <cstdint>
#include <string>

#include "base/result.h"

namespace plimsoll {

/// Larger spec and config files are a mistake (a trace passed as a spec), not a need.
inline constexpr std::int64_t kMaxSpecFileBytes = std::int64_t{16} << 20;

/// The bytes of a regular file, unchanged. Missing or unreadable files, folders and files of more
/// than `max_bytes` are io errors.
Result<std::string> read_file(const std::string& path, std::int64_t max_bytes = kMaxSpecFileBytes);

}  // namespace plimsoll
