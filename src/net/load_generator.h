// Sends the requests of a source to a server when they are due, and again after a pause where one
// was refused (--retries), and notes what comes back. Open loops keep to their schedule whatever
// the server does (no coordinated omission); sources that react get each answer as it ends. One
// thread.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "net/completion_api.h"
#include "net/http_transfers.h"
#include "net/observation.h"
#include "net/prompt_text.h"
#include "workload/request.h"

namespace plimsoll {

/// The settings that are asked of the server with every request.
struct ServerRequest {
  std::string url;  ///< of the server: "http://host:8000"
  std::string model;
  std::string bearer_token;
  ApiFormat format = ApiFormat::completions;
  bool stream = true;
  bool limits_length = true;  ///< ask for as many tokens as the traffic says, at most
  bool exact_length = true;   ///< and for no fewer
};

struct LoadOptions {
  ServerRequest server;
  HttpLimits limits;
  std::int64_t max_concurrency = 1024;  ///< requests under way at once; later ones wait, late
  std::int64_t retries = 0;             ///< of requests that were refused
  Time horizon = kNever;                ///< nothing is sent after it
};

struct LoadProgress {
  std::int64_t sent = 0;
  std::int64_t finished = 0;
  std::int64_t failed = 0;
};

/// Looks on while the load runs.
class LoadWatcher {
 public:
  virtual ~LoadWatcher() = default;
  /// Called a hundred times a second or more; false ends the load: what is under way is given up.
  virtual bool keep_going(const LoadProgress& progress) = 0;
  /// True if on_answer() is to be told when each token came.
  virtual bool wants_times() const { return false; }
  /// Called when a request is done with, failed ones included.
  virtual void on_answer(const Request&, const ObservedAnswer&, std::span<const Time>) {}
};

HttpRequest http_request(const ServerRequest& server, std::string_view prompt,
                         std::int64_t output_tokens);

/// Runs until the source has no more requests and all are done with.
Result<Observation> generate_load(RequestSource& source, PromptWriter& prompts,
                                  const LoadOptions& options, LoadWatcher& watcher);

}  // namespace plimsoll
