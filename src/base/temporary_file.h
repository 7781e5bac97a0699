// A file that nobody else has: made anew under a random name in the folder of the file that it will
// replace, readable by nobody who may not read that one, and gone unless it gets that name. Used by
// replacement_file.h.
#pragma once

#include <sys/types.h>

#include <atomic>
#include <cstdio>
#include <filesystem>
#include <string>

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

}  // namespace plimsoll
