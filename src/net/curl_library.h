// libcurl, loaded when it is first needed: with all the libraries that it needs itself it would
// cost every start of the program more than a short run does.
#pragma once

#include <curl/curl.h>

#include <memory>

namespace plimsoll {

struct Curl {
  decltype(&curl_global_init) global_init = nullptr;
  decltype(&curl_easy_init) init = nullptr;
  decltype(&curl_easy_setopt) set = nullptr;
  decltype(&curl_easy_perform) perform = nullptr;
  decltype(&curl_easy_getinfo) info = nullptr;
  decltype(&curl_easy_strerror) text_of = nullptr;
  decltype(&curl_easy_cleanup) cleanup = nullptr;
  decltype(&curl_slist_append) append = nullptr;
  decltype(&curl_slist_free_all) free_all = nullptr;
  decltype(&curl_multi_init) multi_init = nullptr;
  decltype(&curl_multi_cleanup) multi_cleanup = nullptr;
  decltype(&curl_multi_setopt) multi_set = nullptr;
  decltype(&curl_multi_add_handle) multi_add = nullptr;
  decltype(&curl_multi_remove_handle) multi_remove = nullptr;
  decltype(&curl_multi_perform) multi_perform = nullptr;
  decltype(&curl_multi_poll) multi_poll = nullptr;
  decltype(&curl_multi_info_read) multi_info = nullptr;
};

/// Null if libcurl is not installed. Loaded once, never unloaded.
const Curl* load_curl();

#ifdef PLIMSOLL_STATIC
inline constexpr const char* kCurlMissing =
    "this is the static program, which cannot use the network; install the Debian package or build "
    "Plimsoll with `make install`";
#else
inline constexpr const char* kCurlMissing = "libcurl is not installed (Debian: libcurl4)";
#endif

using CurlHandle = std::unique_ptr<CURL, decltype(&curl_easy_cleanup)>;
using CurlHeaders = std::unique_ptr<curl_slist, decltype(&curl_slist_free_all)>;

}  // namespace plimsoll
