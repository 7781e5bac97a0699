// Many HTTP requests under way at once on one thread (libcurl's multi interface). Every transfer
// ends: with the whole body, or with the reason why not.
//
// Real time since a start, in the types of simulated time. Only this room has it.
#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"
#include "base/units.h"
#include "net/http_limits.h"

namespace plimsoll {

class Stopwatch {
 public:
  Time now() const {
    const auto passed = std::chrono::steady_clock::now() - begin_;
    return {std::chrono::duration_cast<std::chrono::nanoseconds>(passed).count()};
  }

 private:
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
};

struct HttpRequest {
  std::string url;
  std::string body;          ///< posted as JSON; empty: GET
  std::string bearer_token;  ///< may be empty
  std::string content_type;  ///< that the answer must have: "text/event-stream"; empty = any
  Time give_up_at = kNever;  ///< the client's own deadline
};

enum class HttpFailure {
  none,
  refused,    ///< no connection, or a status that asks to come again: 429, 502, 503, 504
  timed_out,  ///< the client's deadline or a limit
  broken,     ///< whatever else is wrong
  cancelled
};

struct HttpProblem {
  std::string reason;  ///< a few words, the same for all failures of a kind: "HTTP 429"
  std::string detail;  ///< of this one; may be empty
};

struct HttpEnd {
  HttpFailure failure = HttpFailure::none;
  long status = 0;  ///< of HTTP; 0 = none came
  HttpProblem problem;
};

/// Who wants to know of a transfer. Called from poll() and cancel_all(); on_end() from start(),
/// too, where memory is short.
class HttpListener {
 public:
  virtual ~HttpListener() = default;
  /// A piece of the body of an answer with status 200. False ends the transfer, with `problem()`.
  virtual bool on_body(std::string_view bytes, Time now) = 0;
  virtual HttpProblem problem() const = 0;
  /// The last call. The listener may start other transfers.
  virtual void on_end(const HttpEnd& end, Time now) = 0;
};

class HttpTransfers {
 public:
  /// Times are those of the stopwatch, which must outlive it. An io error without libcurl.
  static Result<std::unique_ptr<HttpTransfers>> open(const Stopwatch& clock,
                                                     const HttpLimits& limits);
  ~HttpTransfers();

  /// It leaves with the next poll(). The listener must live until its on_end().
  void start(HttpRequest request, HttpListener* listener);

  /// Waits until something happens or `until` has come (whole milliseconds, never later), and lets
  /// the listeners know. Returns how long that took, the waiting left out.
  Duration poll(Time until);

  void cancel_all();
  std::size_t under_way() const;

 private:
  class Impl;
  explicit HttpTransfers(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

struct HttpAnswer {
  HttpEnd end;
  std::string body;  ///< as far as it came
};

/// Asks one question and waits for the answer, of at most `max_bytes`.
HttpAnswer ask(HttpTransfers& transfers, HttpRequest request, std::size_t max_bytes);

}  // namespace plimsoll
