// Which requests are let in: none that a page of another site sends (its Origin), none that reached
// this machine under another name (its Host: DNS rebinding), and where a token is asked for, none
// without it.
#pragma once

#include <optional>
#include <string>

#include "serve/http_server.h"

namespace plimsoll {

struct Guard {
  int port = 0;
  /// Empty: requests come from this machine, by one of its own names. Otherwise they may come under
  /// any name and show it: `Authorization: Bearer TOKEN`.
  std::string token;
};

/// Why it is refused; nothing: it is let in. The page itself needs no token, it asks for it.
std::optional<WebResponse> refusal(const Guard& guard, const WebRequest& request, bool needs_token);

}  // namespace plimsoll
