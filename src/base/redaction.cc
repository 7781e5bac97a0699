#include "base/redaction.h"

#include <algorithm>
#include <mutex>
#include <shared_mutex>
#include <vector>

#include <fmt/format.h>

#include "base/lists.h"
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

constexpr std::size_t kNone = std::string_view::npos;

// The length of "user:password@" at the start of what follows "//"; 0 without. A password may hold
// what ends the authority of an address, and spaces: then the last @ of the word counts, or the
// next one of the line, unless a host and a port are there.
std::size_t userinfo_length(std::string_view rest, bool is_web) {
  const std::string_view line = rest.substr(0, rest.find_first_of("\r\n\"'<>`"));
  const std::string_view word = line.substr(0, line.find_first_of(" \t"));
  const std::string_view authority = word.substr(0, word.find_first_of("/?#"));
  const std::size_t colon = authority.find(':');
  std::size_t at = authority.rfind('@');
  if (at != kNone) return is_web || colon < at ? at + 1 : 0;
  if (colon == kNone || authority.starts_with('[') || is_port(authority.substr(colon + 1)))
    return 0;
  at = word.rfind('@');
  if (at == kNone) at = line.find('@');
  return at == kNone ? 0 : at + 1;
}

// The same at the start of a word without "//", where a user and a password stand before an @.
std::size_t bare_userinfo_length(std::string_view word) {
  const std::size_t colon = word.find(':');
  const std::size_t at = word.rfind('@');
  if (at == kNone || colon > at || colon == 0 || colon + 1 == at) return 0;
  const std::string_view after = word.substr(colon + 1);
  const bool is_user = word.substr(0, colon).find_first_of("/[@") == kNone;
  const bool is_host =
      is_port(after.substr(0, after.find('/'))) && after.find('/') < after.find('@');
  const bool is_digest = word.substr(at).starts_with("@sha256:");  // of a container
  return is_user && !is_host && !is_digest && !after.starts_with("//") ? at + 1 : 0;
}

// Calls `take` with the place and the length of each user information until it returns false.
template <class Take>
void for_each_userinfo(std::string_view text, Take take) {
  constexpr std::string_view kBetweenWords = " \t\r\n\"'<>`(){}";
  constexpr std::size_t kLongest = 1024;  // an address: text of one long line takes no longer
  std::size_t done = 0;                   // nothing before it is looked at again
  for (std::size_t at = text.find('@'); at != kNone; at = text.find('@', std::max(at + 1, done))) {
    // An address that may hold this @ begins on its line, a word without one in its word.
    const std::size_t near = std::max(done, at - std::min(at, kLongest));
    std::size_t begin = near + text.substr(near, at - near).find_last_of("\r\n") + 1;
    const std::size_t line = begin;
    std::size_t length = 0;
    for (std::size_t slashes = text.find("//", begin); slashes < at && length == 0;
         slashes = text.find("//", begin)) {
      begin = slashes + 2;
      const std::size_t scheme = slashes - std::min(slashes, std::string_view("https:").size());
      const std::string before = to_lower(text.substr(scheme, slashes - scheme));
      const bool is_web = before.ends_with("http:") || before == "https:";
      length = userinfo_length(text.substr(begin, kLongest), is_web);
    }
    if (length == 0) {
      begin = line + text.substr(line, at - line).find_last_of(kBetweenWords) + 1;
      const std::string_view rest = text.substr(begin, kLongest);
      length = bare_userinfo_length(rest.substr(0, rest.find_first_of(kBetweenWords)));
    }
    if (length == 0) continue;
    if (!take(begin, length)) return;
    done = begin + length;
  }
}

std::string without_userinfo(std::string_view text) {
  std::string out;
  std::size_t done = 0;
  for_each_userinfo(text, [&](std::size_t at, std::size_t length) {
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
    add_once(&known, std::move(spelling));
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
