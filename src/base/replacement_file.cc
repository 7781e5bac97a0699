#include "base/replacement_file.h"

#include <array>
#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <cstring>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/command_files.h"
#include "base/redaction.h"

namespace plimsoll {
namespace {

// Names of files to remove should a signal end the program. More than these are not removed then.
constexpr std::size_t kMostGuarded = 64;
std::array<std::atomic<char*>, kMostGuarded> g_guarded = {};
static_assert(std::atomic<char*>::is_always_lock_free);

// The start of the name, so that the whole is no longer than file systems allow.
constexpr std::size_t kLongestStart = 200;

std::string random_name(const std::filesystem::path& target) {
  std::uint64_t number = 0;
  if (getrandom(&number, sizeof number, 0) != sizeof number) number = std::uint64_t(getpid());
  const std::string start = target.filename().string().substr(0, kLongestStart);
  return (target.parent_path() / fmt::format(".{}.{:016x}.partial", start, number)).string();
}

// Not every file system can; pipes and the like need not.
int synced(int fd) {
  if (fsync(fd) == 0 || errno == EINVAL || errno == ENOTSUP || errno == EROFS) return 0;
  return errno;
}

int sync_folder(const std::filesystem::path& folder) {
  const int fd = open(folder.empty() ? "." : folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd < 0) return 0;  // one that may be written to and not read
  const int error = synced(fd);
  close(fd);
  return error;
}

// Owner, group and rights of the file that will be replaced; returns an errno.
int kept_mode(int fd, const struct stat& old) {
  const bool same_group = fchown(fd, old.st_uid, old.st_gid) == 0 ||
                          fchown(fd, static_cast<uid_t>(-1), old.st_gid) == 0;
  // Another group gets no right that was meant for the old one.
  const mode_t mode = old.st_mode & (same_group ? 0777 : 0707);
  return fchmod(fd, mode) == 0 ? 0 : errno;
}

namespace fs = std::filesystem;

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
  if (CommandFiles::are_sealed()) return sealed_off(named);
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

TemporaryFile::TemporaryFile(const std::filesystem::path& target) : target_(target) {
  struct stat old = {};
  const bool replaces = stat(target_.c_str(), &old) == 0;
  constexpr mode_t kOwnersAlone = 0600;
  constexpr mode_t kAsAllowed = 0666;  // less the umask
  open(replaces ? kOwnersAlone : kAsAllowed);
  if (error_ == 0 && replaces) error_ = kept_mode(fileno(stream_), old);
}

TemporaryFile::~TemporaryFile() {
  if (stream_ == nullptr) return;
  std::fclose(stream_);
  unlink(path_.c_str());
  unguard();
}

void TemporaryFile::open(mode_t mode) {
  int fd = -1;
  do {
    path_ = random_name(target_);
    fd = ::open(path_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode);
  } while (fd < 0 && (errno == EEXIST || errno == EINTR));
  if (fd >= 0) {
    guard();
    stream_ = fdopen(fd, "wb");
  }
  if (stream_ == nullptr) error_ = errno;
}

int TemporaryFile::replace_target() {
  if (error_ == 0 && std::fflush(stream_) != 0) error_ = errno;
  if (error_ == 0) error_ = synced(fileno(stream_));
  if (error_ == 0 && std::rename(path_.c_str(), target_.c_str()) != 0) error_ = errno;
  if (error_ != 0) return error_;
  unguard();
  if (std::fclose(stream_) != 0) error_ = errno;
  stream_ = nullptr;
  if (error_ == 0) error_ = sync_folder(target_.parent_path());
  return error_;
}

void TemporaryFile::guard() {
  char* const name = strdup(path_.c_str());
  for (auto& place : g_guarded) {
    char* none = nullptr;
    if (!place.compare_exchange_strong(none, name)) continue;
    guard_ = &place;
    return;
  }
  std::free(name);
}

void TemporaryFile::unguard() {
  // A handler that took the name keeps it.
  if (guard_ != nullptr) std::free(guard_->exchange(nullptr));
  guard_ = nullptr;
}

void remove_temporary_files() {
  for (auto& place : g_guarded) {
    if (const char* name = place.exchange(nullptr)) unlink(name);
  }
}

ReplacementFile::ReplacementFile(const std::string& path) : path_(path) {
  const auto target = target_of(path);
  if (!target) {
    state_ = tl::unexpected<Error>(target.error());
  } else if (is_device(*target)) {
    device_.reset(std::fopen(target->c_str(), "wbe"));
    if (!device_) state_ = cannot_write(path_, errno);
  } else if (state_ = hold_output(*target, path_); state_) {
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

tl::unexpected<Error> cannot_write(const std::string& path, int error) {
  return fail(ErrorKind::io, "cannot write " + path + ": " + std::strerror(error),
              "check that the folder exists, may be written to and has space left");
}

Result<void> replace_file(const std::string& path, std::string_view text) {
  ReplacementFile file(path);
  file.write(text);
  return file.finish();
}

Result<void> check_replaceable(const std::string& path) {
  std::error_code ignored;
  TRY(target, target_of(path));
  if (fs::is_directory(target, ignored)) return cannot_write(path, EISDIR);
  const bool exists = fs::exists(target, ignored);
  if (exists && ::access(target.c_str(), W_OK) != 0) return cannot_write(path, errno);
  if (is_device(target)) return {};
  if (exists && !fs::is_regular_file(target, ignored)) {
    return fail(ErrorKind::io, "cannot write " + path + ": it is not a regular file");
  }
  if (exists && is_standard_output(target)) {
    return fail(ErrorKind::usage, "standard output goes to " + path + ", too",
                "give another name: one would replace the other");
  }
  const fs::path folder = target.has_parent_path() ? target.parent_path() : fs::path(".");
  if (::access(folder.c_str(), W_OK | X_OK) != 0) return cannot_write(path, errno);
  return hold_output(target, path);
}

Result<void> check_new(const std::string& flag, const std::string& path) {
  std::error_code ignored;
  if (CommandFiles::are_sealed()) return sealed_off(path);
  if (fs::is_regular_file(path, ignored) && fs::file_size(path, ignored) > 0) {
    return fail(ErrorKind::usage,
                flag + " would overwrite " + path + ", which plimsoll did not write",
                "give another name, or remove it if it is not needed");
  }
  return check_replaceable(path);
}

}  // namespace plimsoll
