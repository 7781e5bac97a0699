#include "serve/microhttpd.h"

#include <dlfcn.h>

namespace plimsoll {

#ifdef PLIMSOLL_STATIC

const Microhttpd* load_microhttpd() { return nullptr; }

#else

namespace {

template <class Function>
bool find(void* library, const char* name, Function* function) {
  *function = reinterpret_cast<Function>(dlsym(library, name));
  return *function != nullptr;
}

bool find_all(void* library, Microhttpd* all) {
  return find(library, "MHD_start_daemon", &all->start) &&
         find(library, "MHD_stop_daemon", &all->stop) &&
         find(library, "MHD_get_daemon_info", &all->daemon_info) &&
         find(library, "MHD_get_connection_info", &all->connection_info) &&
         find(library, "MHD_set_connection_option", &all->set_option) &&
         find(library, "MHD_get_connection_values", &all->values) &&
         find(library, "MHD_create_response_from_buffer", &all->response) &&
         find(library, "MHD_add_response_header", &all->add_header) &&
         find(library, "MHD_queue_response", &all->queue) &&
         find(library, "MHD_destroy_response", &all->destroy);
}

}  // namespace

const Microhttpd* load_microhttpd() {
  static Microhttpd all;
  static const bool loaded = [] {
    void* library = dlopen("libmicrohttpd.so.12", RTLD_NOW | RTLD_LOCAL);
    return library != nullptr && find_all(library, &all);
  }();
  return loaded ? &all : nullptr;
}

#endif

}  // namespace plimsoll
