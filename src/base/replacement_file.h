// Writing a whole file at once: it appears under its name only when it is complete and on the disk,
// and what stood there before stays until then. For everything that a run leaves behind.
//
// A file that nobody else has: made anew under a random name in the folder of the file that it will
// replace, readable by nobody who may not read that one, and gone unless it gets that name.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

#include <sys/types.h>

#include "base/file.h"
#include "base/result.h"

namespace plimsoll {

class TemporaryFile {
 public:
  /// Has the mode and, where the system allows it, the owner of `target`; those of any new file
  /// where there is none. Failures are in error().
  explicit TemporaryFile(const std::filesystem::path& target);
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  ~TemporaryFile();

  std::FILE* stream() const { return stream_; }
  /// An errno: of making it, or of the last of these steps.
  int error() const { return error_; }

  /// Everything to the disk, then the name, then the folder to the disk: after a power cut there is
  /// the old file or the new one. Closes the stream. Returns error().
  int replace_target();

 private:
  void open(mode_t mode);
  void guard();
  void unguard();

  std::filesystem::path target_;
  std::string path_;
  std::FILE* stream_ = nullptr;
  std::atomic<char*>* guard_ = nullptr;
  int error_ = 0;
};

/// Removes those that are there. For a handler of signals: the program has to end after it.
void remove_temporary_files();

/// A new file beside the one it will replace, or beside what a link of that name leads to, whose
/// mode it keeps; a device or pipe is written to directly. After the first failure it does nothing
/// more; without finish() nothing remains of it.
class ReplacementFile {
 public:
  explicit ReplacementFile(const std::string& path);

  /// Without what base/redaction.h hides; a key must not lie across two calls.
  void write(std::string_view text);
  /// Writes `text` and empties it once it is long.
  template <class Text>
  void write_if_long(Text* text) {
    if (text->size() < std::size_t{1} << 20) return;
    write({text->data(), text->size()});
    text->clear();
  }

  /// Gives the file its name. Any failure so far is an io error.
  Result<void> finish();

 private:
  std::FILE* stream() const;

  std::string path_;
  std::unique_ptr<TemporaryFile> temporary_;
  File device_;
  Result<void> state_;
};

/// An io error; `error`: an errno.
tl::unexpected<Error> cannot_write(const std::string& path, int error);

Result<void> replace_file(const std::string& path, std::string_view text);

/// Checks before the work what would make finish() fail after it (an io error): that the folder
/// exists and may be written to, that no folder or socket has this name, that no other run writes
/// it and this one does not read it (base/command_files.h), and that standard output does not go
/// there.
Result<void> check_replaceable(const std::string& path);

/// For what may be somebody else's: also that there is no such file, or an empty one. Else a usage
/// error that names the flag.
Result<void> check_new(const std::string& flag, const std::string& path);

}  // namespace plimsoll
