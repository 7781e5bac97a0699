// POST /mcp: the same questions as tools for agents, by the Model Context Protocol (JSON-RPC 2.0
// over streamable HTTP, modelcontextprotocol.io, revisions 2025-03-26 and 2025-06-18). Each request
// is answered in its own response; there are no sessions and no streams.
#pragma once

#include <string>

#include "serve/api.h"

namespace plimsoll {

/// Notifications get 202 and no body.
WebResponse mcp_response(Api& api, const std::string& version, const WebRequest& request);

}  // namespace plimsoll
