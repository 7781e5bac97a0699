// Writing a whole file at once: it appears under its name only when it is complete, and what stood
// there before stays until then. For everything a run leaves behind.
#pragma once

#include <cstdio>
#include <string>
#include <string_view>

#include "base/result.h"

namespace plimsoll {

/// A file under a temporary name beside the one it will replace, or beside what a link of that name
/// leads to; a device or pipe is written to directly. After the first failure it does
/// nothing more; without finish() nothing remains of it.
class ReplacementFile {
 public:
  explicit ReplacementFile(const std::string& path);
  ReplacementFile(const ReplacementFile&) = delete;
  ReplacementFile& operator=(const ReplacementFile&) = delete;
  ~ReplacementFile();

  void write(std::string_view text);

  /// Gives the file its name. Any failure so far is an io error.
  Result<void> finish();

 private:
  std::string path_;
  std::string temporary_;
  std::FILE* file_ = nullptr;
  int error_ = 0;
};

/// Checks before the work what would make finish() fail after it: that the folder exists and may be
/// written to, and that no folder or socket has this name (else an io error).
Result<void> check_replaceable(const std::string& path);

}  // namespace plimsoll
