#include "base/replacement_file.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

#include "base/output_lock.h"
#include "base/redaction.h"

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

// In a folder where everybody may make files, a link of somebody else is not to be followed (as
// Linux does not with fs.protected_symlinks).
bool is_foreign_link(const fs::path& path) {
  struct stat link = {};
  struct stat folder = {};
  const fs::path parent = path.parent_path();
  if (lstat(path.c_str(), &link) != 0 || stat(parent.empty() ? "." : parent.c_str(), &folder) != 0)
    return false;
  constexpr mode_t kEverybodys = S_ISVTX | S_IWOTH;
  return (folder.st_mode & kEverybodys) == kEverybodys && link.st_uid != geteuid() &&
         link.st_uid != folder.st_uid;
}

// What a link leads to: the link itself is to stay.
Result<fs::path> target_of(const std::string& named) {
  constexpr int kMostLinks = 40;
  fs::path path = named;
  std::error_code ignored;
  for (int i = 0; !is_device(path) && fs::is_symlink(path, ignored); ++i) {
    if (i == kMostLinks) return cannot_write(named, ELOOP);
    if (is_foreign_link(path)) return cannot_write(named, EACCES);
    path = path.parent_path() / fs::read_symlink(path, ignored);
  }
  return path;
}

bool is_standard_output(const fs::path& target) {
  struct stat file = {};
  struct stat output = {};
  return stat(target.c_str(), &file) == 0 && fstat(STDOUT_FILENO, &output) == 0 &&
         file.st_dev == output.st_dev && file.st_ino == output.st_ino;
}

}  // namespace

ReplacementFile::ReplacementFile(const std::string& path) : path_(path) {
  const auto target = target_of(path);
  if (!target) {
    state_ = tl::unexpected<Error>(target.error());
  } else if (is_device(*target)) {
    device_.reset(std::fopen(target->c_str(), "wbe"));
    if (!device_) state_ = cannot_write(path_, errno);
  } else if (!hold_output(*target)) {
    state_ = held_elsewhere(path_);
  } else {
    temporary_ = std::make_unique<TemporaryFile>(*target);
    if (temporary_->error() != 0) state_ = cannot_write(path_, temporary_->error());
  }
}

std::FILE* ReplacementFile::stream() const {
  return device_ ? device_.get() : temporary_->stream();
}

void ReplacementFile::write(std::string_view text) {
  if (!state_) return;
  std::string hidden;
  if (has_secret(text)) text = hidden = redacted(text);
  if (std::fwrite(text.data(), 1, text.size(), stream()) != text.size())
    state_ = cannot_write(path_, errno);
}

Result<void> ReplacementFile::finish() {
  if (!state_) return state_;
  const int error =
      temporary_ ? temporary_->replace_target() : (std::fflush(device_.get()) != 0 ? errno : 0);
  if (error != 0) return cannot_write(path_, error);
  return {};
}

Result<void> replace_file(const std::string& path, std::string_view text) {
  ReplacementFile file(path);
  file.write(text);
  return file.finish();
}

Result<void> check_replaceable(const std::string& path) {
  std::error_code ignored;
  const auto target = target_of(path);
  if (!target) return tl::unexpected<Error>(target.error());
  if (fs::is_directory(*target, ignored)) return cannot_write(path, EISDIR);
  const bool exists = fs::exists(*target, ignored);
  if (exists && ::access(target->c_str(), W_OK) != 0) return cannot_write(path, errno);
  if (is_device(*target)) return {};
  if (exists && !fs::is_regular_file(*target, ignored)) {
    return fail(ErrorKind::io, "cannot write " + path + ": it is not a regular file");
  }
  if (exists && is_standard_output(*target)) {
    return fail(ErrorKind::usage, "standard output goes to " + path + ", too",
                "give another name: one would replace the other");
  }
  const fs::path folder = target->has_parent_path() ? target->parent_path() : fs::path(".");
  if (::access(folder.c_str(), W_OK | X_OK) != 0) return cannot_write(path, errno);
  if (!hold_output(*target)) return held_elsewhere(path);
  return {};
}

Result<void> check_new(const std::string& flag, const std::string& path) {
  std::error_code ignored;
  if (fs::is_regular_file(path, ignored) && fs::file_size(path, ignored) > 0) {
    return fail(ErrorKind::usage,
                flag + " would overwrite " + path + ", which plimsoll did not write",
                "give another name, or remove it if nobody needs it");
  }
  return check_replaceable(path);
}

}  // namespace plimsoll
