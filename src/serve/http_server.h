// A small HTTP server over libmicrohttpd, which is loaded when it is first needed: a program that
// only computes does not pay for it. serve/site.h says what is answered.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "serve/answer_stream.h"

namespace plimsoll {

struct WebRequest {
  std::string method;
  std::string path;                            ///< decoded, without the query
  std::map<std::string, std::string> query;    ///< decoded
  std::map<std::string, std::string> headers;  ///< names in small letters; the first of each
  std::string body;
  /// Whether whoever asked has left, or the server ends. May be called from any thread.
  std::function<bool()> is_gone = [] { return false; };

  /// Empty where there is none.
  std::string header(const std::string& name) const;
};

struct WebResponse {
  int status = 200;
  std::string type = "application/json";
  std::string body;
  std::vector<std::pair<std::string, std::string>> headers{};
  /// In the place of `body`: its parts as they come, on the thread of the connection.
  std::shared_ptr<AnswerStream> stream{};
};

/// {"error": {"message": ..., "hint": ...}}
WebResponse http_error(int status, const std::string& message, const std::string& hint = {});

struct HttpServerOptions {
  std::string address = "127.0.0.1";  ///< IPv4 or IPv6, as digits
  int port = 0;                       ///< 0: any that is free
  /// The most bytes of a body: a megabyte of text, each character of which JSON may escape, and
  /// other fields.
  std::size_t most_bytes = std::size_t{2} << 20;
  unsigned most_connections = 256;
  std::chrono::milliseconds head_within{10'000};  ///< of the first request of a connection
  unsigned idle_s = 30;  ///< without a byte; also the longest that a body may take to arrive
};

class HttpServer {
 public:
  using Handler = std::function<WebResponse(const WebRequest&)>;

  /// Listens from now on; the handler is called on a thread of each connection, and gets no body
  /// that is longer than allowed. A usage error for no address, an io error where nothing can
  /// listen there or libmicrohttpd is missing.
  static Result<std::unique_ptr<HttpServer>> open(const HttpServerOptions& options,
                                                  Handler handler);
  /// Ends all connections; waits for the handler.
  virtual ~HttpServer() = default;

  virtual int port() const = 0;
};

}  // namespace plimsoll
