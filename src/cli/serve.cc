// `plimsoll serve`: a page in the browser that answers, and the same over HTTP for programs and
// agents (serve/site.h), until it is told to end.
#include <chrono>
#include <cstdlib>
#include <latch>
#include <thread>

#include <fmt/format.h>

#include "base/lists.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "cli/api_verbs.h"
#include "cli/console.h"
#include "cli/parse.h"
#include "cli/run_functions.h"
#include "cli/signals.h"
#include "cli/verbs.h"
#include "cli/version.h"
#include "serve/site.h"
#include "setup/secret_key.h"

namespace plimsoll {
namespace {

constexpr std::size_t kShortestToken = 16;
constexpr std::size_t kMostWaiting = 128;  // questions

// Empty: this machine alone is served.
Result<std::string> token_of(const ServeSpec& spec) {
  if (spec.token_env.empty()) {
    if (spec.listen.empty()) return std::string();
    return fail(ErrorKind::usage, "--listen lets other machines ask, so it needs --token-env",
                "TOKEN=$(openssl rand -hex 16) plimsoll serve --listen " + spec.listen +
                    " --token-env TOKEN");
  }
  const std::string set = "export " + spec.token_env + "=$(openssl rand -hex 16)";
  if (std::getenv(spec.token_env.c_str()) == nullptr) {
    return fail(ErrorKind::usage,
                "the environment variable " + spec.token_env + " (--token-env) is not set", set);
  }
  TRY(token, secret_key(spec.token_env));
  if (token.size() >= kShortestToken) return token;
  return fail(ErrorKind::usage,
              fmt::format("{} holds a token of {} characters, and it has to have {} or more",
                          spec.token_env, token.size(), kShortestToken),
              set);
}

// Nobody can open the address that stands for all.
std::string where_to_open(const std::string& address, int port) {
  if (address == "0.0.0.0" || address == "::") {
    return fmt::format("http://{}:{} in a browser, or from elsewhere at this machine's name",
                       address == "::" ? "[::1]" : "127.0.0.1", port);
  }
  const bool is_v6 = address.find(':') != std::string::npos;
  return fmt::format("http://{}:{} in a browser", is_v6 ? "[" + address + "]" : address, port);
}

Result<int> serve(const ServeSpec& spec) {
  TRY(token, token_of(spec));
  ApiOptions limits;
  limits.time_limit_s = spec.time_limit_s;
  limits.most_simulations = threads_for(spec.max_simulations);
  limits.most_waiting = kMostWaiting;
  constexpr std::size_t kKeptBytes = 8 << 20;  // while nobody asks
  share_arenas(limits.most_simulations);
  keep_freed_memory(kKeptBytes);
  Site site(api_verbs(), limits, std::string(version()));
  const Interruption interruption;
  HttpServerOptions options;
  if (!spec.listen.empty()) options.address = spec.listen;
  options.port = static_cast<int>(*spec.port);
  std::latch is_protected(1);
  TRY(server, HttpServer::open(options, [&](const WebRequest& request) {
        is_protected.wait();
        return site.respond(request);
      }));
  site.protect({server->port(), token});
  is_protected.count_down();
  const int printed = print_result(fmt::format("Open {}{}; Ctrl-C ends the server.\n",
                                               where_to_open(options.address, server->port()),
                                               token.empty() ? "" : " (it asks for the token)"));
  constexpr std::chrono::milliseconds kBetweenLooks{50};
  while (printed == 0 && !interruption.requested()) std::this_thread::sleep_for(kBetweenLooks);
  return printed;
}

}  // namespace

std::string place_at_server(std::string_view flag) {
  constexpr std::string_view kAddress[]{"--host", "--bind", "--address", "--interface"};
  if (contains(kAddress, flag))
    return "--listen ADDRESS with --token-env NAME lets other machines ask";
  if (flag == "--json" || flag == "--quiet")
    return "its answers are JSON, as --json prints them; ?form=full has the verdict beside it";
  for (const std::string_view verb : {"capacity", "run", "plan", "forecast"}) {
    const Flag* found = find_verb(verb)->flag(flag);
    if (found == nullptr || found->takes_path()) continue;
    return "start the server without it; it is a field of the page, or of POST /api/" +
           std::string(verb) + ": \"" + std::string(found->name.substr(2)) + "\"";
  }
  return {};
}

Result<int> serve_verb(const Command& command) { return serve(command.options.serve); }

}  // namespace plimsoll
