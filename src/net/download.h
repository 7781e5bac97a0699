// One small file over HTTPS, called when a user names a model that is neither built in nor cached
// (setup/hub.h).
#pragma once

#include <cstdint>
#include <string>

#include "base/result.h"

namespace plimsoll {

struct Download {
  std::string url;           ///< https; http for this machine alone (localhost, 127.0.0.1, [::1])
  std::string bearer_token;  ///< sent to the URL's own host alone; may be empty
  std::int64_t timeout_s = 30;
  std::int64_t max_bytes = std::int64_t{10} << 20;
  int max_redirects = 3;  ///< within the URL's host and its subdomains
};

struct DownloadedFile {
  int status = 0;    ///< of HTTP; 200 when `text` is the file
  std::string text;  ///< empty unless the status is 200
};

/// The answer of a server is a result, whatever its status. No answer, a redirect that leads
/// elsewhere and a file beyond the limit are io errors.
Result<DownloadedFile> download(const Download& request);

/// Whether a URL may be downloaded at all.
bool is_allowed_url(const std::string& url);

/// The host part of a URL, in lower case, without port; empty if it has none.
std::string host_of(const std::string& url);

}  // namespace plimsoll
