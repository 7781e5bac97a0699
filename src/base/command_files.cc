#include "base/command_files.h"

#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <functional>

#include <fmt/format.h>

namespace plimsoll {
namespace {

namespace fs = std::filesystem;

thread_local CommandFiles* t_files = nullptr;

CommandFiles& files_of_every_command() {
  static CommandFiles files;
  return files;
}

Result<void> read_and_written(const std::string& path) {
  return fail(ErrorKind::usage, "an output would overwrite " + path + ", which this command reads",
              "give the output another name");
}

// Of a name in a folder, whatever way leads there; empty: the folder cannot be seen.
std::string address_of(const fs::path& target) {
  struct stat folder = {};
  const fs::path parent = target.parent_path();
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

CommandFiles::Binding::Binding(CommandFiles* files) : before_(std::exchange(t_files, files)) {}

CommandFiles::Binding::~Binding() { t_files = before_; }

CommandFiles::~CommandFiles() {
  for (const auto& [address, fd] : held_) close(fd);
}

CommandFiles* CommandFiles::of_this_thread() { return t_files; }

std::string unless_sealed(std::string advice) {
  return CommandFiles::are_sealed() ? std::string() : std::move(advice);
}

bool CommandFiles::are_sealed() { return t_files != nullptr && t_files->sealed_; }

const std::string* CommandFiles::text_called(const std::string& name) const {
  if (texts_ == nullptr) return nullptr;
  const auto found = texts_->find(name);
  return found == texts_->end() ? nullptr : &found->second;
}

bool CommandFiles::lock(const fs::path& target) {
  const std::string address = address_of(target);
  if (address.empty() || held_.contains(address)) return true;
  const int fd = bound_socket(address);
  if (fd >= 0) held_.emplace(address, fd);
  return fd >= 0 || errno != EADDRINUSE;  // where sockets are forbidden, files are still written
}

Result<void> note_input(const std::string& path) {
  CommandFiles& files = t_files != nullptr ? *t_files : files_of_every_command();
  std::error_code not_there;
  const fs::path input = fs::canonical(path, not_there);
  if (not_there || !fs::is_regular_file(input, not_there)) return {};
  const std::lock_guard lock(files.mutex_);
  files.inputs_.insert(input);  // who ignores the error must not write either
  return files.outputs_.contains(input) ? read_and_written(path) : Result<void>();
}

Result<void> hold_output(const fs::path& target, const std::string& path) {
  if (t_files == nullptr) return {};
  if (t_files->sealed_) return sealed_off(path);
  CommandFiles& all = files_of_every_command();
  std::error_code nowhere;
  const fs::path output = fs::weakly_canonical(fs::absolute(target, nowhere), nowhere);
  const std::scoped_lock lock(t_files->mutex_, all.mutex_);
  if (t_files->inputs_.contains(output) || all.inputs_.contains(output))
    return read_and_written(path);
  t_files->outputs_.insert(output);
  return t_files->lock(target) ? Result<void>() : held_elsewhere(path);
}

tl::unexpected<Error> sealed_off(const std::string& path) {
  return fail(ErrorKind::usage, path + ": no file of this machine may be used here",
              "send the text of a file that is to be read with the request");
}

tl::unexpected<Error> held_elsewhere(const std::string& path) {
  return fail(ErrorKind::io, "another run of plimsoll is writing " + path,
              "wait until it has ended, or give another name");
}

}  // namespace plimsoll
