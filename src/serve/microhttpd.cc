#include "serve/microhttpd.h"

#include "base/shared_library.h"

namespace plimsoll {
namespace {

bool find_all(const SharedLibrary& library, Microhttpd* all) {
  return library.find("MHD_start_daemon", &all->start) &&
         library.find("MHD_stop_daemon", &all->stop) &&
         library.find("MHD_get_daemon_info", &all->daemon_info) &&
         library.find("MHD_get_connection_info", &all->connection_info) &&
         library.find("MHD_set_connection_option", &all->set_option) &&
         library.find("MHD_get_connection_values", &all->values) &&
         library.find("MHD_create_response_from_buffer", &all->response) &&
         library.find("MHD_create_response_from_callback", &all->streaming_response) &&
         library.find("MHD_add_response_header", &all->add_header) &&
         library.find("MHD_queue_response", &all->queue) &&
         library.find("MHD_destroy_response", &all->destroy);
}

}  // namespace

const Microhttpd* load_microhttpd() {
  static Microhttpd all;
  static const bool loaded = find_all(SharedLibrary("libmicrohttpd.so.12"), &all);
  return loaded ? &all : nullptr;
}

}  // namespace plimsoll
