#include "base/process.h"

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <utility>

#include <fcntl.h>
#include <poll.h>
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
  void print_to(int out, int err) {
    posix_spawn_file_actions_adddup2(&actions_, out, STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&actions_, err, STDERR_FILENO);
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

// A pipe of which this program reads one end; the other is for one that it starts.
class Pipe {
 public:
  static Result<Pipe> open() {
    std::array<int, 2> ends{};
    if (pipe2(ends.data(), O_CLOEXEC) == 0) return Pipe(ends);
    return fail(ErrorKind::io, std::string("cannot make a pipe: ") + std::strerror(errno));
  }
  Pipe(Pipe&& other) noexcept : ends_(std::exchange(other.ends_, {-1, -1})) {}
  Pipe& operator=(Pipe&&) = delete;
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;
  ~Pipe() {
    close_writer();
    if (ends_[0] >= 0) close(ends_[0]);
  }

  int reader() const { return ends_[0]; }
  int writer() const { return ends_[1]; }
  void close_writer() {
    if (const int end = std::exchange(ends_[1], -1); end >= 0) close(end);
  }

 private:
  explicit Pipe(std::array<int, 2> ends) : ends_(ends) {}

  std::array<int, 2> ends_;
};

// Both to their ends, whichever of them has something, as a program waits while a pipe is full.
void read_both(const Pipe& out, const Pipe& err, ProgramOutput* output) {
  std::array<pollfd, 2> open{{{out.reader(), POLLIN, 0}, {err.reader(), POLLIN, 0}}};
  const std::array<std::string*, 2> texts{&output->out, &output->err};
  std::array<char, 4096> bytes{};
  while (open[0].fd >= 0 || open[1].fd >= 0) {
    if (poll(open.data(), open.size(), -1) < 0 && errno != EINTR) return;
    for (std::size_t i = 0; i < open.size(); ++i) {
      if (open[i].fd < 0 || open[i].revents == 0) continue;
      const ssize_t got = read(open[i].fd, bytes.data(), bytes.size());
      if (got > 0) texts[i]->append(bytes.data(), static_cast<std::size_t>(got));
      if (got == 0 || (got < 0 && errno != EINTR)) open[i].fd = -1;
      open[i].revents = 0;
    }
  }
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
  TRY(out, Pipe::open());
  TRY(err, Pipe::open());
  SpawnFiles files;
  files.print_to(out.writer(), err.writer());
  TRY(pid, spawned(words, files));
  out.close_writer();
  err.close_writer();
  ProgramOutput output;
  read_both(out, err, &output);
  output.code = code_at_end(pid);
  return output;
}

}  // namespace plimsoll
