// The answers of the server by path: the page and its files, the API, its description, the tools
// for agents. One handler for all connections of an HttpServer.
#pragma once

#include <string>
#include <vector>

#include "serve/api.h"
#include "serve/guard.h"
#include "serve/mcp.h"

namespace plimsoll {

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
