#include "net/curl_library.h"

#include <dlfcn.h>

namespace plimsoll {

#ifdef PLIMSOLL_STATIC

const Curl* load_curl() { return nullptr; }

#else

namespace {

template <class Function>
bool find(void* library, const char* name, Function* function) {
  *function = reinterpret_cast<Function>(dlsym(library, name));
  return *function != nullptr;
}

bool find_all(void* library, Curl* curl) {
  return find(library, "curl_global_init", &curl->global_init) &&
         find(library, "curl_easy_init", &curl->init) &&
         find(library, "curl_easy_setopt", &curl->set) &&
         find(library, "curl_easy_perform", &curl->perform) &&
         find(library, "curl_easy_getinfo", &curl->info) &&
         find(library, "curl_easy_strerror", &curl->text_of) &&
         find(library, "curl_easy_cleanup", &curl->cleanup) &&
         find(library, "curl_slist_append", &curl->append) &&
         find(library, "curl_slist_free_all", &curl->free_all) &&
         find(library, "curl_multi_init", &curl->multi_init) &&
         find(library, "curl_multi_cleanup", &curl->multi_cleanup) &&
         find(library, "curl_multi_setopt", &curl->multi_set) &&
         find(library, "curl_multi_add_handle", &curl->multi_add) &&
         find(library, "curl_multi_remove_handle", &curl->multi_remove) &&
         find(library, "curl_multi_perform", &curl->multi_perform) &&
         find(library, "curl_multi_poll", &curl->multi_poll) &&
         find(library, "curl_multi_info_read", &curl->multi_info);
}

}  // namespace

const Curl* load_curl() {
  static Curl curl;
  static const bool loaded = [] {
    void* library = dlopen("libcurl.so.4", RTLD_NOW | RTLD_LOCAL);
    return library != nullptr && find_all(library, &curl) &&
           curl.global_init(CURL_GLOBAL_DEFAULT) == CURLE_OK;
  }();
  return loaded ? &curl : nullptr;
}

#endif

}  // namespace plimsoll
