// POST /mcp: the same questions as tools for agents, by the Model Context Protocol (JSON-RPC 2.0
// over streamable HTTP, modelcontextprotocol.io, revisions 2025-03-26 and 2025-06-18). Each request
// is answered in its own response, which is a stream of events where the client wants to hear of
// progress; there is no other stream. A session is a name alone, by which the
// requests of one client are told from those of another that counts its own from 1, too.
#pragma once

#include <atomic>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "serve/api.h"
#include "serve/api_verb.h"

namespace plimsoll {

/// May be called from any thread.
class Mcp {
 public:
  Mcp(Api& api, std::string version) : api_(api), version_(std::move(version)) {}

  /// Notifications get 202 and no body.
  WebResponse respond(const WebRequest& request);

 private:
  WebResponse call(const Json& id, const Json& parameters, const WebRequest& request);
  /// The reply to a call, which may be cancelled under that name meanwhile.
  std::string reply_to_call(const Json& id, const ApiVerb& verb, const Json& arguments,
                            const std::string& name, const ApiListener& listener);
  void cancel(const std::string& name);

  Api& api_;
  const std::string version_;
  std::mutex mutex_;
  /// Calls at work, by session and id.
  std::multimap<std::string, std::atomic<bool>&> cancelled_;
};

// The description of the API (OpenAPI 3.1), of the rows of its verbs.

Json openapi(const std::vector<ApiVerb>& verbs, const std::string& version);

}  // namespace plimsoll
