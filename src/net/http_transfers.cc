#include "net/http_transfers.h"

#include <algorithm>
#include <list>

#include "base/redaction.h"
#include "base/text.h"
#include "net/curl_library.h"
#include "net/foreign_text.h"

namespace plimsoll {
namespace {

constexpr std::size_t kMostHeaderBytes = 256 << 10;
constexpr std::size_t kKeptOfErrors = 8 << 10;   // bytes of the body of an error: no key is cut
constexpr std::size_t kReadOfErrors = 64 << 10;  // the rest is not waited for
constexpr Duration kBetweenChecks = milliseconds(10);

struct Transfer {
  std::list<Transfer>::iterator self;
  HttpRequest request;
  HttpListener* listener = nullptr;
  const Stopwatch* clock = nullptr;
  const Curl* curl = nullptr;
  CURL* handle = nullptr;
  curl_slist* headers = nullptr;
  Time started;
  Time last_byte = kNever;  ///< of the body
  std::size_t header_bytes = 0;
  std::size_t error_bytes = 0;
  long status = 0;
  bool fits = true;  ///< the type of the content
  std::string content_type;
  std::string error_text;
  std::string message = std::string(CURL_ERROR_SIZE, '\0');
};

std::size_t take_header(char*, std::size_t size, std::size_t count, void* user) {
  auto* transfer = static_cast<Transfer*>(user);
  transfer->header_bytes += size * count;
  return transfer->header_bytes > kMostHeaderBytes ? 0 : size * count;
}

// The first piece of a body: by now the headers are known.
void note_headers(Transfer* t) {
  char* type = nullptr;
  t->curl->info(t->handle, CURLINFO_RESPONSE_CODE, &t->status);
  t->curl->info(t->handle, CURLINFO_CONTENT_TYPE, &type);
  const std::string full = type == nullptr ? "" : redacted(type);
  t->content_type = to_lower(full.substr(0, full.find_first_of("; ")));
  t->fits = t->request.content_type.empty() || t->content_type == t->request.content_type;
}

bool take_error(std::string_view bytes, Transfer* t) {
  t->error_bytes += bytes.size();
  const std::size_t room = kKeptOfErrors - std::min(t->error_text.size(), kKeptOfErrors);
  t->error_text.append(bytes.substr(0, room));
  return t->error_bytes <= kReadOfErrors;
}

std::size_t take_body(char* data, std::size_t size, std::size_t count, void* user) {
  auto* t = static_cast<Transfer*>(user);
  const std::string_view bytes(data, size * count);
  const Time now = t->clock->now();
  if (t->last_byte == kNever) note_headers(t);
  t->last_byte = now;
  if (t->status != 200 || !t->fits) return take_error(bytes, t) ? bytes.size() : 0;
  return t->listener->on_body(bytes, now) ? bytes.size() : 0;
}

std::string seconds_text(Duration limit) { return shortest(to_seconds(limit)) + " s"; }

bool asks_to_come_again(long status) {
  return status == 429 || status == 502 || status == 503 || status == 504;
}

HttpEnd end_of(const Transfer& t, CURLcode code, const HttpLimits& limits) {
  const std::string detail = foreign_text(t.message.c_str());
  const auto end = [&](HttpFailure failure, std::string reason) {
    return HttpEnd{failure, t.status, {std::move(reason), detail}};
  };
  if (t.status != 0 && t.status != 200) {
    return {asks_to_come_again(t.status) ? HttpFailure::refused : HttpFailure::broken,
            t.status,
            {"HTTP " + std::to_string(t.status), foreign_text(t.error_text)}};
  }
  if (t.status == 200 && !t.fits) {
    const std::string type = t.content_type.empty() ? "no type" : t.content_type;
    return {HttpFailure::broken,
            t.status,
            {"content is " + foreign_text(type) + ", not " + t.request.content_type,
             foreign_text(t.error_text)}};
  }
  switch (code) {
    case CURLE_OK:
      return {HttpFailure::none, t.status, {}};
    case CURLE_COULDNT_RESOLVE_HOST:
    case CURLE_COULDNT_RESOLVE_PROXY:
      return end(HttpFailure::refused, "host not found");
    case CURLE_COULDNT_CONNECT:
      return {HttpFailure::refused, t.status, {"no connection", ""}};
    case CURLE_OPERATION_TIMEDOUT:
      return end(HttpFailure::refused, "no connection within " + seconds_text(limits.connect));
    case CURLE_GOT_NOTHING:
    case CURLE_PARTIAL_FILE:
    case CURLE_RECV_ERROR:
    case CURLE_SEND_ERROR:
      return end(HttpFailure::broken, "connection lost");
    case CURLE_WRITE_ERROR:
      if (t.header_bytes > kMostHeaderBytes) return end(HttpFailure::broken, "endless headers");
      return {HttpFailure::broken, t.status, t.listener->problem()};
    case CURLE_OUT_OF_MEMORY:  // what libcurl calls a line of the headers without end
      if (t.handle == nullptr) return end(HttpFailure::broken, "not enough memory");
      return end(HttpFailure::broken, "endless headers");
    case CURLE_SSL_CONNECT_ERROR:
    case CURLE_PEER_FAILED_VERIFICATION:
    case CURLE_SSL_CERTPROBLEM:
    case CURLE_SSL_CACERT_BADFILE:
      return end(HttpFailure::broken, "TLS failed");
    default:
      return end(HttpFailure::broken, t.curl->text_of(code));
  }
}

class Asking final : public HttpListener {
 public:
  Asking(std::size_t max_bytes, HttpAnswer* answer) : max_bytes_(max_bytes), answer_(answer) {}

  bool on_body(std::string_view bytes, Time) override {
    const std::size_t room = max_bytes_ - answer_->body.size();
    answer_->body.append(bytes.substr(0, room));
    return bytes.size() <= room;
  }
  HttpProblem problem() const override { return {"the answer is too long", ""}; }
  void on_end(const HttpEnd& end, Time) override {
    answer_->end = end;
    done_ = true;
  }
  bool done() const { return done_; }

 private:
  std::size_t max_bytes_;
  HttpAnswer* answer_;
  bool done_ = false;
};

}  // namespace

class HttpTransfers::Impl {
 public:
  Impl(const Curl& curl, const Stopwatch& clock, const HttpLimits& limits)
      : curl_(curl), clock_(clock), limits_(limits), multi_(curl.multi_init()) {}
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;
  ~Impl() {
    for (Transfer& t : transfers_) release(&t);
    curl_.multi_cleanup(multi_);
  }

  bool is_open() const { return multi_ != nullptr; }
  std::size_t under_way() const { return transfers_.size(); }

  void start(HttpRequest request, HttpListener* listener) {
    Transfer& t = transfers_.emplace_back();
    t.self = std::prev(transfers_.end());
    t.request = std::move(request);
    t.listener = listener;
    t.clock = &clock_;
    t.curl = &curl_;
    t.started = clock_.now();
    t.handle = curl_.init();
    if (t.handle == nullptr) return end(t.self, CURLE_OUT_OF_MEMORY);
    prepare(&t);
    curl_.multi_add(multi_, t.handle);
  }

  Duration poll(Time until) {
    const std::int64_t wait_ms = std::max(until - clock_.now(), Duration{}).ns / 1'000'000;
    const auto at_most = static_cast<std::int64_t>(kBetweenChecks.ns / 1'000'000);
    int changed = 0;
    curl_.multi_poll(multi_, nullptr, 0, static_cast<int>(std::min(wait_ms, at_most)), &changed);
    const Time begin = clock_.now();
    int running = 0;
    curl_.multi_perform(multi_, &running);
    int left = 0;
    while (const CURLMsg* message = curl_.multi_info(multi_, &left)) {
      if (message->msg != CURLMSG_DONE) continue;
      const CURLcode code = message->data.result;
      void* transfer = nullptr;
      curl_.info(message->easy_handle, CURLINFO_PRIVATE, &transfer);
      end(static_cast<Transfer*>(transfer)->self, code);
    }
    if (clock_.now() >= next_check_) check_limits();
    return clock_.now() - begin;
  }

  void cancel_all() {
    while (!transfers_.empty()) {
      end(transfers_.begin(),
          {HttpFailure::cancelled, transfers_.front().status, {"cancelled", ""}});
    }
  }

 private:
  using Place = std::list<Transfer>::iterator;

  void prepare(Transfer* t) {
    CURL* handle = t->handle;
    const HttpRequest& request = t->request;
    curl_.set(handle, CURLOPT_URL, request.url.c_str());
    curl_.set(handle, CURLOPT_PROTOCOLS_STR, "http,https");
    curl_.set(handle, CURLOPT_HTTP_VERSION, static_cast<long>(CURL_HTTP_VERSION_1_1));
    curl_.set(handle, CURLOPT_NOSIGNAL, 1L);
    curl_.set(handle, CURLOPT_USERAGENT, "plimsoll");
    curl_.set(handle, CURLOPT_PRIVATE, static_cast<void*>(t));
    curl_.set(handle, CURLOPT_ERRORBUFFER, t->message.data());
    curl_.set(handle, CURLOPT_HEADERFUNCTION, take_header);
    curl_.set(handle, CURLOPT_HEADERDATA, t);
    curl_.set(handle, CURLOPT_WRITEFUNCTION, take_body);
    curl_.set(handle, CURLOPT_WRITEDATA, t);
    curl_.set(handle, CURLOPT_CONNECTTIMEOUT_MS,
              static_cast<long>(limits_.connect->ns / 1'000'000));
    if (!limits_.ca_file.empty()) curl_.set(handle, CURLOPT_CAINFO, limits_.ca_file.c_str());
    const auto header = [&](const std::string& line) {
      t->headers = curl_.append(t->headers, line.c_str());
    };
    if (!request.bearer_token.empty()) header("Authorization: Bearer " + request.bearer_token);
    if (!request.body.empty()) {
      header("Content-Type: application/json");
      header("Expect:");  // or libcurl waits a second for leave to send a long prompt
      curl_.set(handle, CURLOPT_POSTFIELDSIZE, static_cast<long>(request.body.size()));
      curl_.set(handle, CURLOPT_POSTFIELDS, request.body.data());
    }
    curl_.set(handle, CURLOPT_HTTPHEADER, t->headers);
  }

  void end(Place place, CURLcode code) {
    // An answer may have a status and no body.
    if (place->last_byte == kNever && code == CURLE_OK) note_headers(&*place);
    end(place, end_of(*place, code, limits_));
  }

  void end(Place place, HttpEnd how) {
    HttpListener* listener = place->listener;
    release(&*place);
    transfers_.erase(place);
    listener->on_end(how, clock_.now());
  }

  void release(Transfer* t) {
    if (t->handle != nullptr) {
      curl_.multi_remove(multi_, t->handle);
      curl_.cleanup(t->handle);
    }
    if (t->headers != nullptr) curl_.free_all(t->headers);
  }

  // Which limit a transfer has passed; empty = none.
  std::string passed_limit(const Transfer& t, Time now) const {
    if (now >= t.request.give_up_at) return "timed out";
    if (now - t.started >= limits_.whole) return "not done in " + seconds_text(limits_.whole);
    if (t.last_byte == kNever) {
      return now - t.started < limits_.first_byte
                 ? ""
                 : "no first byte within " + seconds_text(limits_.first_byte);
    }
    return now - t.last_byte < limits_.silence ? "" : "silent for " + seconds_text(limits_.silence);
  }

  void check_limits() {
    const Time now = clock_.now();
    next_check_ = now + kBetweenChecks;
    for (Place next = transfers_.begin(); next != transfers_.end();) {
      const Place place = next++;
      std::string limit = passed_limit(*place, now);
      if (limit.empty()) continue;
      end(place, {HttpFailure::timed_out, place->status, {std::move(limit), ""}});
    }
  }

  const Curl& curl_;
  const Stopwatch& clock_;
  const HttpLimits limits_;
  CURLM* const multi_;
  std::list<Transfer> transfers_;
  Time next_check_;
};

HttpTransfers::HttpTransfers(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
HttpTransfers::~HttpTransfers() = default;

Result<std::unique_ptr<HttpTransfers>> HttpTransfers::open(const Stopwatch& clock,
                                                           const HttpLimits& limits) {
  const Curl* curl = load_curl();
  if (curl == nullptr) return fail(ErrorKind::io, kCurlMissing);
  auto impl = std::make_unique<Impl>(*curl, clock, limits);
  if (!impl->is_open()) return fail(ErrorKind::io, "libcurl does not start: out of memory");
  return std::unique_ptr<HttpTransfers>(new HttpTransfers(std::move(impl)));
}

void HttpTransfers::start(HttpRequest request, HttpListener* listener) {
  impl_->start(std::move(request), listener);
}

Duration HttpTransfers::poll(Time until) { return impl_->poll(until); }

void HttpTransfers::cancel_all() { impl_->cancel_all(); }

std::size_t HttpTransfers::under_way() const { return impl_->under_way(); }

HttpAnswer ask(HttpTransfers& transfers, HttpRequest request, std::size_t max_bytes) {
  HttpAnswer answer;
  Asking asking(max_bytes, &answer);
  transfers.start(std::move(request), &asking);
  while (!asking.done()) transfers.poll(kNever);
  answer.body = redacted(answer.body);
  return answer;
}

}  // namespace plimsoll
