#include "net/curl_library.h"

#include "base/shared_library.h"

namespace plimsoll {
namespace {

bool find_all(const SharedLibrary& library, Curl* curl) {
  return library.find("curl_global_init", &curl->global_init) &&
         library.find("curl_easy_init", &curl->init) &&
         library.find("curl_easy_setopt", &curl->set) &&
         library.find("curl_easy_perform", &curl->perform) &&
         library.find("curl_easy_getinfo", &curl->info) &&
         library.find("curl_easy_strerror", &curl->text_of) &&
         library.find("curl_easy_cleanup", &curl->cleanup) &&
         library.find("curl_slist_append", &curl->append) &&
         library.find("curl_slist_free_all", &curl->free_all) &&
         library.find("curl_multi_init", &curl->multi_init) &&
         library.find("curl_multi_cleanup", &curl->multi_cleanup) &&
         library.find("curl_multi_setopt", &curl->multi_set) &&
         library.find("curl_multi_add_handle", &curl->multi_add) &&
         library.find("curl_multi_remove_handle", &curl->multi_remove) &&
         library.find("curl_multi_perform", &curl->multi_perform) &&
         library.find("curl_multi_poll", &curl->multi_poll) &&
         library.find("curl_multi_info_read", &curl->multi_info);
}

}  // namespace

const Curl* load_curl() {
  static Curl curl;
  static const bool loaded = [] {
    return find_all(SharedLibrary("libcurl.so.4"), &curl) &&
           curl.global_init(CURL_GLOBAL_DEFAULT) == CURLE_OK;
  }();
  return loaded ? &curl : nullptr;
}

}  // namespace plimsoll
