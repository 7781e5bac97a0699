// Opening a file and reading a whole one into memory, with errors a user can act on.
#pragma once

#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>

#include "base/result.h"

namespace plimsoll {

struct FileCloser {
  void operator()(std::FILE* file) const { std::fclose(file); }
};
using File = std::unique_ptr<std::FILE, FileCloser>;

/// Opens for reading bytes. Missing or unreadable files and folders are io errors; one that the
/// same command writes is a usage error, and so is any file that a sealed command was not given as
/// a text (base/command_files.h).
Result<File> open_file(const std::string& path);

/// Larger spec and config files are a mistake (a trace passed as a spec), not a need.
inline constexpr std::int64_t kMaxSpecFileBytes = std::int64_t{16} << 20;

/// The bytes of a file, unchanged. One of more than `max_bytes` is an io error.
Result<std::string> read_file(const std::string& path, std::int64_t max_bytes = kMaxSpecFileBytes);

/// The same of an earlier output, which the command may write again.
Result<std::string> read_output(const std::string& path);

/// The same of a file that belongs to the system, such as a time zone: sealed commands have it,
/// too.
Result<std::string> read_system_file(const std::string& path, std::int64_t max_bytes);

/// Whether open_file() would find it, and whether there is such a folder: none for sealed commands.
bool is_file(const std::string& path);
bool is_folder(const std::string& path);

/// A path that stands in a file: unless it is absolute, it begins at the folder of that file.
std::string beside(const std::string& file, const std::string& path);

}  // namespace plimsoll
