#include "base/output_lock.h"

#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <functional>

#include <fmt/format.h>

namespace plimsoll {
namespace {

thread_local OutputLocks* t_locks = nullptr;

// Of a name in a folder, whatever way leads there; empty: the folder cannot be seen.
std::string address_of(const std::filesystem::path& target) {
  struct stat folder = {};
  const std::filesystem::path parent = target.parent_path();
  if (stat(parent.empty() ? "." : parent.c_str(), &folder) != 0) return {};
  return fmt::format("plimsoll-output-{:x}-{:x}-{:x}", folder.st_dev, folder.st_ino,
                     std::hash<std::string>()(target.filename().string()));
}

// A bound socket, or -1 with errno.
int bound_socket(const std::string& address) {
  const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (fd < 0) return -1;
  sockaddr_un name = {};
  name.sun_family = AF_UNIX;
  std::ranges::copy(address, name.sun_path + 1);  // after a zero: abstract
  const auto length = offsetof(sockaddr_un, sun_path) + 1 + address.size();
  if (bind(fd, reinterpret_cast<const sockaddr*>(&name), static_cast<socklen_t>(length)) == 0) {
    return fd;
  }
  const int error = errno;
  close(fd);
  errno = error;
  return -1;
}

}  // namespace

OutputLocks::OutputLocks() : before_(std::exchange(t_locks, this)) {}

OutputLocks::~OutputLocks() {
  t_locks = before_;
  for (const auto& [address, fd] : held_) close(fd);
}

bool OutputLocks::hold(const std::filesystem::path& target) {
  const std::string address = address_of(target);
  if (address.empty() || held_.contains(address)) return true;
  const int fd = bound_socket(address);
  if (fd >= 0) held_.emplace(address, fd);
  return fd >= 0 || errno != EADDRINUSE;  // where sockets are forbidden, files are still written
}

bool hold_output(const std::filesystem::path& target) {
  return t_locks == nullptr || t_locks->hold(target);
}

tl::unexpected<Error> held_elsewhere(const std::string& path) {
  return fail(ErrorKind::io, "another run of plimsoll is writing " + path,
              "wait until it has ended, or give another name");
}

}  // namespace plimsoll
