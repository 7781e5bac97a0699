// Other programs that this one starts: each word reaches them as it is, no shell reads it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <sys/types.h>

#include "base/result.h"

namespace plimsoll {

/// The file that runs now. An io error where the system does not tell.
Result<std::string> own_program();

/// A program that runs beside this one. What it prints goes to a file; its stdin is empty.
class Process {
 public:
  /// `words`: the program (looked up in PATH unless it has a slash) and its arguments. An io error
  /// if it cannot be started.
  static Result<Process> start(const std::vector<std::string>& words, const std::string& output);
  Process(Process&& other) noexcept;
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;
  /// Ends the program if it still runs.
  ~Process();

  /// How it ended, once it has: its exit code, or 128 and the signal, as shells have it.
  std::optional<int> ended();
  /// Asks it to end (SIGTERM) and waits until it has.
  void stop();

 private:
  explicit Process(pid_t pid) : pid_(pid) {}

  pid_t pid_ = 0;  // 0: nothing to wait for
  std::optional<int> code_;
};

struct ProgramOutput {
  int code = 0;     ///< as Process::ended() has it
  std::string out;  ///< what it answered, on stdout
  std::string err;  ///< what else it said, on stderr
};

/// Runs it to its end. An io error if it cannot be started.
Result<ProgramOutput> output_of(const std::vector<std::string>& words);

}  // namespace plimsoll
