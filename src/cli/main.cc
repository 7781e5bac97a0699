#include <csignal>
#include <string>
#include <vector>

#include "base/memory.h"
#include "cli/signals.h"
#include "cli/verbs.h"

int main(int argc, char** argv) {
  // A closed stdout and a file that may not grow are seen where they are written to.
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);
  plimsoll::catch_signals();
  constexpr std::size_t kKeptBytes = 256 << 20;  // more than the tables of most searches
  plimsoll::keep_freed_memory(kKeptBytes);
  const std::vector<std::string> words(argv + (argc > 0 ? 1 : 0), argv + argc);
  return plimsoll::run_command_line(words);
}
