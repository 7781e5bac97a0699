#include "base/process.h"

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <utility>

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

namespace plimsoll {
namespace {

// What a new process has open, for as long as it is being started.
class SpawnFiles {
 public:
  SpawnFiles() {
    posix_spawn_file_actions_init(&actions_);
    posix_spawn_file_actions_addopen(&actions_, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  }
  ~SpawnFiles() { posix_spawn_file_actions_destroy(&actions_); }
  SpawnFiles(const SpawnFiles&) = delete;
  SpawnFiles& operator=(const SpawnFiles&) = delete;

  void print_to(const std::string& path) {
    constexpr mode_t kAsAllowed = 0666;  // less the umask
    posix_spawn_file_actions_addopen(&actions_, STDOUT_FILENO, path.c_str(),
                                     O_WRONLY | O_CREAT | O_APPEND, kAsAllowed);
    posix_spawn_file_actions_adddup2(&actions_, STDOUT_FILENO, STDERR_FILENO);
  }
  void print_to(int fd) {
    posix_spawn_file_actions_adddup2(&actions_, fd, STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&actions_, fd, STDERR_FILENO);
  }
  const posix_spawn_file_actions_t* get() const { return &actions_; }

 private:
  posix_spawn_file_actions_t actions_{};
};

Result<pid_t> spawned(const std::vector<std::string>& words, const SpawnFiles& files) {
  std::vector<char*> arguments;
  for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  pid_t pid = 0;
  const int error =
      posix_spawnp(&pid, arguments[0], files.get(), nullptr, arguments.data(), environ);
  if (error == 0) return pid;
  return fail(ErrorKind::io, "cannot start " + words.front() + ": " + std::strerror(error),
              error == ENOENT ? "install it, or add its folder to PATH" : "");
}

constexpr int kBySignal = 128;

int code_of(int status) {
  return WIFEXITED(status) ? WEXITSTATUS(status) : kBySignal + WTERMSIG(status);
}

int code_at_end(pid_t pid) {
  int status = 0;
  while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  return code_of(status);
}

}  // namespace

Result<std::string> own_program() {
  std::error_code error;
  const std::filesystem::path path = std::filesystem::read_symlink("/proc/self/exe", error);
  if (!error) return path.string();
  return fail(ErrorKind::io, "cannot tell which program this is: " + error.message());
}

Result<Process> Process::start(const std::vector<std::string>& words, const std::string& output) {
  SpawnFiles files;
  files.print_to(output);
  TRY(pid, spawned(words, files));
  return Process(pid);
}

Process::Process(Process&& other) noexcept
    : pid_(std::exchange(other.pid_, 0)), code_(other.code_) {}

Process& Process::operator=(Process&& other) noexcept {
  std::swap(pid_, other.pid_);
  std::swap(code_, other.code_);
  return *this;
}

Process::~Process() { stop(); }

std::optional<int> Process::ended() {
  int status = 0;
  if (pid_ != 0 && waitpid(pid_, &status, WNOHANG) == pid_) {
    code_ = code_of(status);
    pid_ = 0;
  }
  return code_;
}

void Process::stop() {
  if (pid_ == 0) return;
  kill(pid_, SIGTERM);
  code_ = code_at_end(std::exchange(pid_, 0));
}

Result<ProgramOutput> output_of(const std::vector<std::string>& words) {
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) {
    return fail(ErrorKind::io, std::string("cannot make a pipe: ") + std::strerror(errno));
  }
  SpawnFiles files;
  files.print_to(ends[1]);
  auto pid = spawned(words, files);
  close(ends[1]);
  ProgramOutput output;
  std::array<char, 4096> bytes{};
  while (pid) {
    const ssize_t got = read(ends[0], bytes.data(), bytes.size());
    if (got > 0) output.text.append(bytes.data(), static_cast<std::size_t>(got));
    if (got == 0 || (got < 0 && errno != EINTR)) break;
  }
  close(ends[0]);
  if (!pid) return pass_on(pid);
  output.code = code_at_end(*pid);
  return output;
}

}  // namespace plimsoll
