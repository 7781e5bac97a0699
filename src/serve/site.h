// The answers of the server by path: the page and its files, the API, its description, the tools
// for agents. One handler for all connections of an HttpServer.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "serve/api.h"
#include "serve/http_server.h"
#include "serve/mcp.h"

namespace plimsoll {

// Which requests are let in: none that a page of another site sends (its Origin), none that reached
// this machine under another name (its Host: DNS rebinding), and where a token is asked for, none
// without it.

struct Guard {
  int port = 0;
  /// Empty: requests come from this machine, by one of its own names. Otherwise they may come under
  /// any name and show it: `Authorization: Bearer TOKEN`.
  std::string token;
};

/// Why it is refused; nothing: it is let in. The page itself needs no token, it asks for it.
std::optional<WebResponse> refusal(const Guard& guard, const WebRequest& request, bool needs_token);

class Site {
 public:
  Site(std::vector<ApiVerb> verbs, const ApiOptions& options, std::string version)
      : api_(std::move(verbs), options), version_(version), mcp_(api_, std::move(version)) {}

  /// Before the first request: the port is known once the server listens.
  void protect(Guard guard) { guard_ = std::move(guard); }

  WebResponse respond(const WebRequest& request);

 private:
  WebResponse routed(const WebRequest& request);
  WebResponse posted(const WebRequest& request);
  WebResponse kept_page(const WebRequest& request) const;

  Api api_;
  const std::string version_;
  Mcp mcp_;
  Guard guard_;
};

}  // namespace plimsoll
