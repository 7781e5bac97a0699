#include "base/temporary_file.h"

#include <fcntl.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdint>
#include <cstdlib>

#include <fmt/format.h>

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

}  // namespace plimsoll
