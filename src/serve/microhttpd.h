// libmicrohttpd, loaded when it is first needed (net/curl_library.h does the same).
#pragma once

#include <microhttpd.h>

namespace plimsoll {

struct Microhttpd {
  decltype(&MHD_start_daemon) start = nullptr;
  decltype(&MHD_stop_daemon) stop = nullptr;
  decltype(&MHD_get_daemon_info) daemon_info = nullptr;
  decltype(&MHD_get_connection_info) connection_info = nullptr;
  decltype(&MHD_set_connection_option) set_option = nullptr;
  decltype(&MHD_get_connection_values) values = nullptr;
  decltype(&MHD_create_response_from_buffer) response = nullptr;
  decltype(&MHD_create_response_from_callback) streaming_response = nullptr;
  decltype(&MHD_add_response_header) add_header = nullptr;
  decltype(&MHD_queue_response) queue = nullptr;
  decltype(&MHD_destroy_response) destroy = nullptr;
};

/// Null if it is not installed, and in the static program. Loaded once, never unloaded.
const Microhttpd* load_microhttpd();

}  // namespace plimsoll
