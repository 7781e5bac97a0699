#include <csignal>
#include <exception>
#include <string>
#include <vector>

#include "cli/console.h"
#include "cli/signals.h"
#include "cli/verbs.h"

int main(int argc, char** argv) {
  // A closed stdout and a file that may not grow are seen where they are written to.
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);
  plimsoll::catch_signals();
  try {
    const std::vector<std::string> words(argv + (argc > 0 ? 1 : 0), argv + argc);
    return plimsoll::run_command_line(words);
  } catch (const std::exception& e) {
    plimsoll::print_error("internal error: " + std::string(e.what()) +
                          "\nPlease report it with the command line that caused it.\n");
  }
  return 4;
}
