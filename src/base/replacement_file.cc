#include "base/replacement_file.h"

#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

namespace plimsoll {
namespace {

namespace fs = std::filesystem;

tl::unexpected<Error> cannot_write(const std::string& path, int error) {
  return fail(ErrorKind::io, "cannot write " + path + ": " + std::strerror(error),
              "check that the folder exists, may be written to and has space left");
}

// Such as /dev/null: to be written to, not to be replaced.
bool is_device(const fs::path& path) {
  std::error_code ignored;
  return fs::is_character_file(path, ignored) || fs::is_fifo(path, ignored);
}

// What a link leads to: the link itself is to stay.
fs::path target_of(fs::path path) {
  constexpr int kMostLinks = 40;
  if (is_device(path)) return path;
  std::error_code ignored;
  for (int i = 0; i < kMostLinks && fs::is_symlink(path, ignored); ++i) {
    path = path.parent_path() / fs::read_symlink(path, ignored);
  }
  return path;
}

}  // namespace

ReplacementFile::ReplacementFile(const std::string& path)
    : path_(target_of(path).string()), temporary_(is_device(path_) ? path_ : path_ + ".partial") {
  file_ = std::fopen(temporary_.c_str(), "wb");
  if (file_ == nullptr) error_ = errno;
}

ReplacementFile::~ReplacementFile() {
  if (file_ == nullptr) return;
  std::fclose(file_);
  if (temporary_ != path_) std::remove(temporary_.c_str());
}

void ReplacementFile::write(std::string_view text) {
  if (error_ != 0) return;
  if (std::fwrite(text.data(), 1, text.size(), file_) != text.size()) error_ = errno;
}

Result<void> ReplacementFile::finish() {
  if (error_ == 0 && std::fflush(file_) != 0) error_ = errno;
  if (error_ == 0 && temporary_ != path_ && std::rename(temporary_.c_str(), path_.c_str()) != 0)
    error_ = errno;
  if (error_ != 0) return cannot_write(path_, error_);
  std::fclose(file_);
  file_ = nullptr;
  return {};
}

Result<void> check_replaceable(const std::string& path) {
  std::error_code ignored;
  const fs::path target = target_of(path);
  if (fs::is_directory(target, ignored)) return cannot_write(path, EISDIR);
  if (is_device(target)) {
    return ::access(target.c_str(), W_OK) == 0 ? Result<void>{} : cannot_write(path, errno);
  }
  if (fs::exists(target, ignored) && !fs::is_regular_file(target, ignored)) {
    return fail(ErrorKind::io, "cannot write " + path + ": it is not a regular file");
  }
  const fs::path folder = target.has_parent_path() ? target.parent_path() : fs::path(".");
  if (::access(folder.c_str(), W_OK | X_OK) != 0) return cannot_write(path, errno);
  return {};
}

}  // namespace plimsoll
