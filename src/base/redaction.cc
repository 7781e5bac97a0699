#include "base/redaction.h"

#include <algorithm>
#include <mutex>
#include <shared_mutex>
#include <vector>

#include <fmt/format.h>

#include "base/quoting.h"
#include "base/text.h"

namespace plimsoll {
namespace {

constexpr std::string_view kHidden = "***";
constexpr std::size_t kShortestKey = 6;

struct Secrets {
  std::shared_mutex mutex;
  std::vector<std::string> spellings;  // the longest first: one may be part of another
};

Secrets& secrets() {
  static Secrets instance;
  return instance;
}

std::string replaced(std::string text, std::string_view what, std::string_view with) {
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at)) {
    text.replace(at, what.size(), with);
    at += with.size();
  }
  return text;
}

std::string percent_encoded(std::string_view text) {
  constexpr std::string_view kUnreserved =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~";
  std::string out;
  for (const char c : text) {
    const bool plain = kUnreserved.find(c) != std::string_view::npos;
    out += plain ? std::string(1, c) : fmt::format("%{:02X}", static_cast<unsigned char>(c));
  }
  return out;
}

bool is_port(std::string_view text) {
  return text.find_first_not_of("0123456789") == std::string_view::npos;
}

// The length of "user:password@" at the start of what follows "://"; 0 without. A password may hold
// what ends the authority of an address: then its last @ counts, unless a host and a port are
// there.
std::size_t userinfo_length(std::string_view rest) {
  rest = rest.substr(0, rest.find_first_of(" \t\r\n\"'<>`"));
  const std::string_view authority = rest.substr(0, rest.find_first_of("/?#"));
  if (const std::size_t at = authority.rfind('@'); at != std::string_view::npos) return at + 1;
  const std::size_t colon = authority.find(':');
  const bool is_host = colon == std::string_view::npos || authority.starts_with('[') ||
                       is_port(authority.substr(colon + 1));
  const std::size_t at = is_host ? std::string_view::npos : rest.rfind('@');
  return at == std::string_view::npos ? 0 : at + 1;
}

// Calls `take` with the place and the length of each user information until it returns false.
template <class Take>
void for_each_userinfo(std::string_view text, Take take) {
  constexpr std::string_view kBefore = "://";
  if (text.find('@') == std::string_view::npos) return;  // found much faster
  for (std::size_t at = text.find(kBefore); at != std::string_view::npos;
       at = text.find(kBefore, at)) {
    const std::size_t begin = at - std::min(at, std::string_view("https").size());
    const std::string scheme = to_lower(text.substr(begin, at - begin));
    const bool is_web = scheme.ends_with("http") || scheme == "https";
    at += kBefore.size();
    const std::size_t length = is_web ? userinfo_length(text.substr(at)) : 0;
    if (length > 0 && !take(at, length)) return;
  }
}

std::string without_userinfo(std::string_view text) {
  std::string out;
  std::size_t done = 0;
  for_each_userinfo(text, [&](std::size_t at, std::size_t length) {
    if (at < done) return true;
    out.append(text.substr(done, at - done)).append(kHidden).push_back('@');
    done = at + length;
    return true;
  });
  return out.append(text.substr(done));
}

}  // namespace

void hide_secret(const std::string& key) {
  if (key.size() < kShortestKey) return;
  const std::string quoted = json_text(key);
  const std::string in_json = quoted.substr(1, quoted.size() - 2);
  const std::unique_lock lock(secrets().mutex);
  std::vector<std::string>& known = secrets().spellings;
  for (std::string spelling :
       {key, in_json, replaced(in_json, "/", "\\/"), percent_encoded(key), escaped(key)}) {
    if (std::ranges::find(known, spelling) == known.end()) known.push_back(std::move(spelling));
  }
  std::ranges::stable_sort(known, std::ranges::greater{}, &std::string::size);
}

bool has_secret(std::string_view text) {
  bool found = false;
  for_each_userinfo(text, [&](std::size_t, std::size_t) {
    found = true;
    return false;
  });
  const std::shared_lock lock(secrets().mutex);
  return found || std::ranges::any_of(secrets().spellings, [&](const std::string& spelling) {
           return text.find(spelling) != std::string_view::npos;
         });
}

std::string redacted(std::string_view text) {
  std::string out = without_userinfo(text);
  const std::shared_lock lock(secrets().mutex);
  for (const std::string& spelling : secrets().spellings) out = replaced(out, spelling, kHidden);
  return out;
}

}  // namespace plimsoll
