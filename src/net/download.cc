#include "net/download.h"

#include "base/printable.h"
#include "base/redaction.h"
#include "base/text.h"
#include "net/curl_library.h"

namespace plimsoll {
namespace {

struct Body {
  std::string text;
  std::int64_t max_bytes = 0;
  bool too_long = false;
};

std::size_t take(char* data, std::size_t size, std::size_t count, void* user) {
  auto* body = static_cast<Body*>(user);
  const std::size_t bytes = size * count;
  if (body->text.size() + bytes > static_cast<std::size_t>(body->max_bytes)) {
    body->too_long = true;
    return 0;
  }
  body->text.append(data, bytes);
  return bytes;
}

// The host and what hangs below it: "hub.example" and "cdn.hub.example".
bool is_within(const std::string& host, const std::string& domain) {
  return host == domain || host.ends_with("." + domain);
}

struct Answer {
  long status = 0;
  std::string text;
  std::string redirect;  ///< absolute; empty if there is none
};

tl::unexpected<Error> no_answer(const std::string& url, const std::string& why) {
  return fail(ErrorKind::io, "cannot download " + url + ": " + why,
              "check the connection, or use --model-config with a config.json at hand");
}

Result<Answer> get(const Curl& curl, const Download& request, const std::string& url,
                   bool with_token) {
  const CurlHandle owner(curl.init(), curl.cleanup);
  CURL* handle = owner.get();
  if (handle == nullptr) return no_answer(url, "out of memory");
  Body body;
  body.max_bytes = request.max_bytes;
  CurlHeaders headers(nullptr, curl.free_all);
  if (with_token && !request.bearer_token.empty()) {
    const std::string header = "Authorization: Bearer " + request.bearer_token;
    headers.reset(curl.append(nullptr, header.c_str()));
  }
  char message[CURL_ERROR_SIZE] = "";
  curl.set(handle, CURLOPT_URL, url.c_str());
  curl.set(handle, CURLOPT_PROTOCOLS_STR, "http,https");
  curl.set(handle, CURLOPT_FOLLOWLOCATION, 0L);
  curl.set(handle, CURLOPT_TIMEOUT, static_cast<long>(request.timeout_s));
  curl.set(handle, CURLOPT_NOSIGNAL, 1L);
  curl.set(handle, CURLOPT_USERAGENT, "plimsoll");
  curl.set(handle, CURLOPT_HTTPHEADER, headers.get());
  curl.set(handle, CURLOPT_WRITEFUNCTION, take);
  curl.set(handle, CURLOPT_WRITEDATA, &body);
  curl.set(handle, CURLOPT_ERRORBUFFER, message);
  const CURLcode code = curl.perform(handle);
  if (body.too_long) {
    return no_answer(url,
                     "the file is longer than " + std::to_string(request.max_bytes >> 20) + " MiB");
  }
  // What libcurl calls a line of the headers that is longer than it takes.
  if (code == CURLE_OUT_OF_MEMORY) return no_answer(url, "its headers are endless");
  if (code != CURLE_OK) return no_answer(url, *message ? message : curl.text_of(code));
  Answer answer;
  char* redirect = nullptr;
  curl.info(handle, CURLINFO_RESPONSE_CODE, &answer.status);
  curl.info(handle, CURLINFO_REDIRECT_URL, &redirect);
  if (redirect != nullptr) answer.redirect = redirect;
  answer.text = redacted(body.text);
  return answer;
}

}  // namespace

std::string host_of(const std::string& url) {
  const std::size_t scheme = url.find("://");
  if (scheme == std::string::npos || url.find(' ') != std::string::npos ||
      !fault_of_name(url).empty()) {
    return {};
  }
  std::string authority = url.substr(scheme + 3);
  authority = authority.substr(0, authority.find_first_of("/?#"));
  if (authority.find('@') != std::string::npos) return {};  // user:password@host
  const std::size_t bracket = authority.find(']');
  const std::size_t port = authority.find(':', bracket == std::string::npos ? 0 : bracket);
  const bool has_port = port != std::string::npos;
  if (has_port && authority.find_first_not_of("0123456789", port + 1) != std::string::npos)
    return {};
  return to_lower(authority.substr(0, port));
}

bool is_allowed_url(const std::string& url) {
  const std::string host = host_of(url);
  if (host.empty()) return false;
  if (to_lower(url.substr(0, 8)) == "https://") return true;
  return to_lower(url.substr(0, 7)) == "http://" &&
         (host == "localhost" || host == "127.0.0.1" || host == "[::1]");
}

Result<DownloadedFile> download(const Download& request) {
  const Curl* curl = load_curl();
  if (curl == nullptr) return no_answer(request.url, kCurlMissing);
  const std::string domain = host_of(request.url);
  std::string url = request.url;
  for (int redirects = 0; redirects <= request.max_redirects; ++redirects) {
    if (!is_allowed_url(url)) return no_answer(url, "only https is allowed");
    TRY(answer, get(*curl, request, url, host_of(url) == domain));
    if (answer.redirect.empty() || answer.status < 300 || answer.status >= 400) {
      const bool is_file = answer.status == 200;
      return DownloadedFile{static_cast<int>(answer.status),
                            is_file ? std::move(answer.text) : std::string()};
    }
    if (!is_within(host_of(answer.redirect), domain)) {
      return no_answer(url, "it redirects to another domain, " + host_of(answer.redirect));
    }
    url = answer.redirect;
  }
  return no_answer(request.url,
                   "more than " + std::to_string(request.max_redirects) + " redirects");
}

}  // namespace plimsoll
