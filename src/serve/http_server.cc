#include "serve/http_server.h"

#include <arpa/inet.h>
#include <microhttpd.h>
#include <poll.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>

#include "base/json.h"
#include "base/shared_library.h"
#include "base/text.h"
#include "serve/head_deadlines.h"

namespace plimsoll {
namespace {

/// The functions of libmicrohttpd, loaded when it is first needed (net/curl_library.h does the
/// same).
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

// Null if it is not installed, and in the static program. Loaded once, never unloaded.
const Microhttpd* load_microhttpd() {
  static Microhttpd all;
  static const bool loaded = find_all(SharedLibrary("libmicrohttpd.so.12"), &all);
  return loaded ? &all : nullptr;
}

using Clock = std::chrono::steady_clock;

#ifdef PLIMSOLL_STATIC
constexpr const char* kMissing =
    "this is the static program, which has no server; install the Debian package or build Plimsoll "
    "with `make install`";
#else
constexpr const char* kMissing = "libmicrohttpd is not installed (Debian: libmicrohttpd12)";
#endif

/// A request while it arrives.
struct Exchange {
  WebRequest request;
  Clock::time_point begin = Clock::now();
  bool too_long = false;
};

union Address {
  sockaddr any;
  sockaddr_in v4;
  sockaddr_in6 v6;
};

bool read_address(const HttpServerOptions& options, Address* out) {
  std::memset(out, 0, sizeof *out);
  const auto port = htons(static_cast<std::uint16_t>(options.port));
  if (inet_pton(AF_INET, options.address.c_str(), &out->v4.sin_addr) == 1) {
    out->v4.sin_family = AF_INET;
    out->v4.sin_port = port;
    return true;
  }
  if (inet_pton(AF_INET6, options.address.c_str(), &out->v6.sin6_addr) != 1) return false;
  out->v6.sin6_family = AF_INET6;
  out->v6.sin6_port = port;
  return true;
}

bool has_left(int socket) {
  pollfd one{socket, POLLRDHUP, 0};
  return poll(&one, 1, 0) > 0 && (one.revents & (POLLRDHUP | POLLHUP | POLLERR)) != 0;
}

class MicrohttpdServer final : public HttpServer {
 public:
  MicrohttpdServer(const Microhttpd& library, const HttpServerOptions& options, Handler handler)
      : library_(library),
        options_(options),
        handler_(std::move(handler)),
        deadlines_(options.most_connections - options.most_connections / 4) {}

  ~MicrohttpdServer() override {
    ends_ = true;
    if (daemon_ != nullptr) library_.stop(daemon_);
  }

  Result<void> listen() {
    Address address;
    if (!read_address(options_, &address)) {
      return fail(ErrorKind::usage,
                  "\"" + options_.address + "\" is not an address of this machine",
                  "an IP address such as 0.0.0.0 (all), 192.168.0.7 or ::1");
    }
    unsigned flags = MHD_USE_THREAD_PER_CONNECTION | MHD_USE_INTERNAL_POLLING_THREAD | MHD_USE_POLL;
    if (address.any.sa_family == AF_INET6) flags |= MHD_USE_IPv6;
    errno = 0;
    daemon_ = library_.start(
        flags, static_cast<std::uint16_t>(options_.port), nullptr, nullptr,
        &MicrohttpdServer::on_data, this, MHD_OPTION_SOCK_ADDR, &address.any,
        MHD_OPTION_CONNECTION_LIMIT, options_.most_connections, MHD_OPTION_CONNECTION_TIMEOUT,
        options_.idle_s, MHD_OPTION_NOTIFY_COMPLETED, &MicrohttpdServer::on_end, this,
        MHD_OPTION_NOTIFY_CONNECTION, &MicrohttpdServer::on_connection, this, MHD_OPTION_END);
    if (daemon_ != nullptr) return {};
    const std::string why = errno == 0 ? "" : ": " + std::string(std::strerror(errno));
    return fail(
        ErrorKind::io,
        "cannot listen at " + options_.address + ", port " + std::to_string(options_.port) + why,
        "give another --port; 0 takes any that is free");
  }

  int port() const override {
    return library_.daemon_info(daemon_, MHD_DAEMON_INFO_BIND_PORT)->port;
  }

 private:
  static MHD_Result add_to(void* map, MHD_ValueKind kind, const char* name, const char* value) {
    const std::string key = kind == MHD_HEADER_KIND ? to_lower(name) : name;
    static_cast<std::map<std::string, std::string>*>(map)->emplace(key,
                                                                   value == nullptr ? "" : value);
    return MHD_YES;
  }

  // Called when the head is there, for each part of the body, and when that is complete.
  static MHD_Result on_data(void* self, MHD_Connection* connection, const char* path,
                            const char* method, const char*, const char* data, std::size_t* size,
                            void** state) {
    auto& server = *static_cast<MicrohttpdServer*>(self);
    try {
      if (*state == nullptr) {
        Exchange* begun = server.begin(connection, path, method);
        *state = begun;
        return begun->too_long ? server.answer(connection, *begun) : MHD_YES;
      }
      auto& exchange = *static_cast<Exchange*>(*state);
      if (*size > 0) return server.take(&exchange, {data, std::exchange(*size, 0)});
      return server.answer(connection, exchange);
    } catch (const std::exception&) {  // out of memory: this connection ends, the others go on
      return MHD_NO;
    }
  }

  // Of a request; another may follow on the connection.
  static void on_end(void* self, MHD_Connection* connection, void** state,
                     MHD_RequestTerminationCode code) {
    delete static_cast<Exchange*>(std::exchange(*state, nullptr));
    auto& server = *static_cast<MicrohttpdServer*>(self);
    if (code == MHD_REQUEST_TERMINATED_COMPLETED_OK)
      server.await_head(connection, std::chrono::seconds(server.options_.idle_s));
  }

  static void on_connection(void* self, MHD_Connection* connection, void**,
                            MHD_ConnectionNotificationCode code) {
    auto& server = *static_cast<MicrohttpdServer*>(self);
    if (code == MHD_CONNECTION_NOTIFY_STARTED) {
      server.await_head(connection, server.options_.head_within);
    } else {
      server.deadlines_.met(connection);
    }
  }

  int socket_of(MHD_Connection* connection) const {
    return library_.connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD)->connect_fd;
  }

  void await_head(MHD_Connection* connection, std::chrono::milliseconds within) {
    deadlines_.set(connection, socket_of(connection), within);
  }

  Exchange* begin(MHD_Connection* connection, const char* path, const char* method) {
    deadlines_.met(connection);
    auto exchange = std::make_unique<Exchange>();
    WebRequest& request = exchange->request;
    request.path = path;
    request.method = method;
    library_.values(connection, MHD_HEADER_KIND, &MicrohttpdServer::add_to, &request.headers);
    library_.values(connection, MHD_GET_ARGUMENT_KIND, &MicrohttpdServer::add_to, &request.query);
    exchange->too_long = is_endless(request.header("content-length"));
    request.is_gone = [this, socket = socket_of(connection)] { return ends_ || has_left(socket); };
    return exchange.release();
  }

  // Too long to be read on, as what is a little too long is.
  bool is_endless(const std::string& length) const {
    constexpr double kReadOn = 32;
    double bytes = 0;
    return parse_double(length, &bytes) && bytes > kReadOn * double(options_.most_bytes);
  }

  // What is too long is read on, and not kept, so that whoever sends it hears of it.
  MHD_Result take(Exchange* exchange, std::string_view part) const {
    std::string& body = exchange->request.body;
    exchange->too_long = exchange->too_long || body.size() + part.size() > options_.most_bytes;
    if (exchange->too_long) {
      body = {};
    } else {
      body += part;
    }
    const bool is_late = Clock::now() - exchange->begin > std::chrono::seconds(options_.idle_s);
    return is_late ? MHD_NO : MHD_YES;
  }

  MHD_Result answer(MHD_Connection* connection, const Exchange& exchange) {
    library_.set_option(connection, MHD_CONNECTION_OPTION_TIMEOUT, 0U);  // while we are at work
    const WebResponse response = exchange.too_long ? refuse_length() : handler_(exchange.request);
    library_.set_option(connection, MHD_CONNECTION_OPTION_TIMEOUT, options_.idle_s);
    MHD_Response* out = response.stream ? streamed(response.stream)
                                        : library_.response(response.body.size(),
                                                            const_cast<char*>(response.body.data()),
                                                            MHD_RESPMEM_MUST_COPY);
    if (out == nullptr) return MHD_NO;
    if (!response.type.empty()) library_.add_header(out, "Content-Type", response.type.c_str());
    for (const auto& [name, value] : response.headers) {
      library_.add_header(out, name.c_str(), value.c_str());
    }
    const MHD_Result queued =
        library_.queue(connection, static_cast<unsigned>(response.status), out);
    library_.destroy(out);
    return queued;
  }

  /// What of a stream was taken and not sent yet.
  struct Sending {
    std::shared_ptr<AnswerStream> stream;
    std::string left;
  };

  static ssize_t next_part(void* state, std::uint64_t, char* out, std::size_t most) {
    auto& sending = *static_cast<Sending*>(state);
    try {
      if (sending.left.empty()) sending.left = sending.stream->next();
    } catch (const std::exception&) {
      return MHD_CONTENT_READER_END_WITH_ERROR;
    }
    if (sending.left.empty()) return MHD_CONTENT_READER_END_OF_STREAM;
    const std::size_t size = std::min(most, sending.left.size());
    std::memcpy(out, sending.left.data(), size);
    sending.left.erase(0, size);
    return static_cast<ssize_t>(size);
  }

  static void end_stream(void* state) { delete static_cast<Sending*>(state); }

  MHD_Response* streamed(const std::shared_ptr<AnswerStream>& stream) const {
    constexpr std::size_t kPart = 1 << 14;
    auto sending = std::make_unique<Sending>(Sending{stream, ""});
    MHD_Response* out =
        library_.streaming_response(MHD_SIZE_UNKNOWN, kPart, &MicrohttpdServer::next_part,
                                    sending.get(), &MicrohttpdServer::end_stream);
    if (out != nullptr) sending.release();
    return out;
  }

  WebResponse refuse_length() const {
    WebResponse response =
        http_error(MHD_HTTP_CONTENT_TOO_LARGE,
                   "the body is longer than " +
                       grouped(static_cast<std::int64_t>(options_.most_bytes)) + " bytes");
    response.headers.emplace_back("Connection", "close");
    return response;
  }

  const Microhttpd& library_;
  const HttpServerOptions options_;
  const Handler handler_;
  HeadDeadlines deadlines_;
  std::atomic<bool> ends_ = false;
  MHD_Daemon* daemon_ = nullptr;
};

}  // namespace

std::string WebRequest::header(const std::string& name) const {
  const auto found = headers.find(name);
  return found == headers.end() ? "" : found->second;
}

WebResponse http_error(int status, const std::string& message, const std::string& hint) {
  Json error{{"message", message}};
  if (!hint.empty()) error["hint"] = hint;
  WebResponse response;
  response.status = status;
  response.body = Json{{"error", error}}.dump() + "\n";
  return response;
}

Result<std::unique_ptr<HttpServer>> HttpServer::open(const HttpServerOptions& options,
                                                     Handler handler) {
  const Microhttpd* library = load_microhttpd();
  if (library == nullptr) return fail(ErrorKind::io, kMissing);
  auto server = std::make_unique<MicrohttpdServer>(*library, options, std::move(handler));
  TRY_TO(server->listen());
  return std::unique_ptr<HttpServer>(std::move(server));
}

}  // namespace plimsoll
