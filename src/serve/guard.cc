#include "serve/guard.h"

#include <algorithm>
#include <string_view>

namespace plimsoll {
namespace {

bool is_own_name(const Guard& guard, const std::string& host) {
  constexpr std::string_view kNames[]{"localhost", "127.0.0.1", "[::1]"};
  constexpr int kUsualPort = 80;  // is left out
  const std::string port = ":" + std::to_string(guard.port);
  return std::ranges::any_of(kNames, [&](std::string_view name) {
    return host == std::string(name) + port || (guard.port == kUsualPort && host == name);
  });
}

// Takes as long for each text of this length.
bool is_same(const std::string& a, const std::string& b) {
  unsigned difference = a.size() == b.size() ? 0 : 1;
  for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i) {
    difference |= static_cast<unsigned char>(a[i]) ^ static_cast<unsigned char>(b[i]);
  }
  return difference == 0;
}

}  // namespace

std::optional<WebResponse> refusal(const Guard& guard, const WebRequest& request,
                                   bool needs_token) {
  const std::string host = request.header("host");
  if (guard.token.empty() && !is_own_name(guard, host)) {
    return http_error(
        403, "this server answers to 127.0.0.1 and localhost alone, not to \"" + host + "\"",
        "open http://127.0.0.1:" + std::to_string(guard.port));
  }
  const std::string origin = request.header("origin");
  if (!origin.empty() && origin != "http://" + host && origin != "https://" + host) {
    return http_error(403, "a page of " + origin + " may not ask here",
                      "ask from the page of this server, or from a program");
  }
  if (!needs_token || guard.token.empty()) return std::nullopt;
  if (is_same(request.header("authorization"), "Bearer " + guard.token)) return std::nullopt;
  const bool has_one = !request.header("authorization").empty();
  WebResponse response = http_error(
      401, has_one ? "this is not the token of the server" : "this server asks for a token",
      "send the header Authorization: Bearer TOKEN");
  response.headers.emplace_back("WWW-Authenticate", "Bearer");
  return response;
}

}  // namespace plimsoll
