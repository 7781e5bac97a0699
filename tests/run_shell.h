// Runs a command of a POSIX shell within a test.
#pragma once

#include <stdio.h>  // popen() is POSIX, not C++

#include <array>
#include <string>

namespace plimsoll {

struct ShellRun {
  int status = -1;  ///< 0 where it ended well
  std::string out;  ///< stdout and stderr
};

inline ShellRun run_shell(const std::string& command) {
  ShellRun run;
  FILE* pipe = popen(("{ " + command + "\n} 2>&1").c_str(), "r");
  if (pipe == nullptr) return run;
  std::array<char, 4096> piece{};
  for (std::size_t n = 0; (n = fread(piece.data(), 1, piece.size(), pipe)) > 0;) {
    run.out.append(piece.data(), n);
  }
  run.status = pclose(pipe);
  return run;
}

}  // namespace plimsoll
