// Writing a whole file at once: it appears under its name only when it is complete and on the disk,
// and what stood there before stays until then. For everything that a run leaves behind.
#pragma once

#include <cstdio>
#include <memory>
#include <string>
#include <string_view>

#include "base/file.h"
#include "base/result.h"
#include "base/temporary_file.h"

namespace plimsoll {

/// A new file beside the one it will replace, or beside what a link of that name leads to, whose
/// mode it keeps; a device or pipe is written to directly. After the first failure it does nothing
/// more; without finish() nothing remains of it.
class ReplacementFile {
 public:
  explicit ReplacementFile(const std::string& path);

  /// Without what base/redaction.h hides; a key must not lie across two calls.
  void write(std::string_view text);

  /// Gives the file its name. Any failure so far is an io error.
  Result<void> finish();

 private:
  std::FILE* stream() const;

  std::string path_;
  std::unique_ptr<TemporaryFile> temporary_;
  File device_;
  Result<void> state_;
};

Result<void> replace_file(const std::string& path, std::string_view text);

/// Checks before the work what would make finish() fail after it (an io error): that the folder
/// exists and may be written to, that no folder or socket has this name, that no other run writes
/// it (base/output_lock.h), and that standard output does not go there.
Result<void> check_replaceable(const std::string& path);

/// For what may be somebody else's: also that there is no such file, or an empty one. Else a usage
/// error that names the flag.
Result<void> check_new(const std::string& flag, const std::string& path);

}  // namespace plimsoll
