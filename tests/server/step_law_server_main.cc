// step_law_server [--base-ms X] [--per-decode-ms X] [--per-prompt-token-ms X] [--max-num-seqs N]
//                 [--threads N] [-- COMMAND...]
//
// Serves until it is stopped, or runs a command with the server's address in SERVER_URL and ends
// with it.
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include <sys/wait.h>
#include <unistd.h>

#include "server/step_law_server.h"

namespace {

int run(const std::vector<char*>& words, const std::string& url) {
  setenv("SERVER_URL", url.c_str(), 1);
  setenv("NO_PROXY", "127.0.0.1", 1);
  setenv("no_proxy", "127.0.0.1", 1);
  const pid_t child = fork();
  if (child == 0) {
    execvp(words[0], words.data());
    std::perror(words[0]);
    _exit(127);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

}  // namespace

int main(int argc, char** argv) {
  using Ms = std::chrono::duration<double, std::milli>;
  plimsoll::test::StepLaw law;
  std::vector<char*> command;
  for (int i = 1; i < argc; ++i) {
    const std::string_view flag = argv[i];
    if (flag == "--") {
      command.assign(argv + i + 1, argv + argc);
      break;
    }
    if (i + 1 == argc) break;
    const double value = std::atof(argv[++i]);
    if (flag == "--base-ms") {
      law.base = Ms(value);
    } else if (flag == "--per-decode-ms") {
      law.per_decode = Ms(value);
    } else if (flag == "--per-prompt-token-ms") {
      law.per_prompt_token = Ms(value);
    } else if (flag == "--max-num-seqs") {
      law.max_num_seqs = static_cast<std::int64_t>(value);
    } else if (flag == "--threads") {
      law.threads = static_cast<int>(value);
    } else {
      std::fprintf(stderr, "step_law_server: unknown flag %s\n", argv[i - 1]);
      return 2;
    }
  }
  const plimsoll::test::StepLawServer server(law);
  if (!command.empty()) {
    command.push_back(nullptr);
    return run(command, server.url());
  }
  std::printf("%s\n", server.url().c_str());
  std::fflush(stdout);
  pause();
}
