#include "net/load_generator.h"

#include <sys/resource.h>

#include <algorithm>
#include <list>
#include <queue>

#include "net/answer_reader.h"

namespace plimsoll {
namespace {

constexpr Duration kFirstPause = milliseconds(500);  // before a request is sent again
constexpr Duration kLongestPause = seconds(8);
constexpr Duration kBetweenLooks = milliseconds(10);

double cpu_seconds() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  const auto s = [](const timeval& t) {
    return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_usec) / 1e6;
  };
  return s(usage.ru_utime) + s(usage.ru_stime);
}

// A request that is due: a new one, or, if `row` is one, that row again.
struct Due {
  Time at;
  std::int64_t number = 0;  // of those that were planned, for equal times
  Request request;
  std::int64_t row = -1;

  bool operator>(const Due& other) const {
    return at != other.at ? at > other.at : number > other.number;
  }
};

class LoadGenerator {
 public:
  LoadGenerator(RequestSource& source, PromptWriter& prompts, const LoadOptions& options,
                LoadWatcher& watcher)
      : source_(source), prompts_(prompts), options_(options), watcher_(watcher) {}

  Result<Observation> run() {
    TRY_SET(transfers_, HttpTransfers::open(clock_, options_.limits));
    const double cpu_before = cpu_seconds();
    pull();
    clock_ = Stopwatch();
    while (next_due() != kNever || transfers_->under_way() > 0) {
      const Time begin = clock_.now();
      send_what_is_due();
      const Time next = is_full() ? kNever : next_due();
      const Duration sending = clock_.now() - begin;
      const Duration reading = transfers_->poll(std::min(next, clock_.now() + kBetweenLooks));
      done_.longest_turn = std::max(done_.longest_turn, sending + reading);
      if (!watcher_.keep_going(progress_)) {
        done_.interrupted = true;
        transfers_->cancel_all();
        break;
      }
    }
    done_.end = clock_.now();
    done_.cpu_s = cpu_seconds() - cpu_before;
    return std::move(done_);
  }

 private:
  // A request under way.
  class Exchange final : public HttpListener {
   public:
    Exchange(LoadGenerator& owner, std::size_t row, AnswerReading how)
        : owner_(owner), row_(row), reader_(how) {}
    void stands_at(std::list<Exchange>::iterator self) { self_ = self; }
    bool on_body(std::string_view bytes, Time now) override {
      return reader_.take(bytes, now, [&](Duration gap) { owner_.done_.gaps.add(gap, 1); });
    }
    HttpProblem problem() const override { return reader_.problem(); }
    void on_end(const HttpEnd& end, Time now) override {
      LoadGenerator& owner = owner_;
      const std::size_t row = row_;
      AnswerReader reader = std::move(reader_);
      owner.exchanges_.erase(self_);  // this object
      owner.take_answer(row, end, reader, now);
    }

   private:
    LoadGenerator& owner_;
    std::size_t row_;
    AnswerReader reader_;
    std::list<Exchange>::iterator self_;
  };

  void pull() {
    Request request;
    next_new_.at = kNever;
    if (!source_.next(&request) || request.arrival > options_.horizon) return;
    next_new_ = {request.arrival, 0, request, -1};
  }

  Time next_due() const {
    return later_.empty() ? next_new_.at : std::min(next_new_.at, later_.top().at);
  }

  void send_what_is_due() {
    while (next_due() <= clock_.now()) {
      if (is_full()) {
        done_.held_back += held_back_ ? 0 : 1;
        held_back_ = true;
        return;
      }
      held_back_ = false;
      if (next_new_.at == next_due()) {
        const Request request = next_new_.request;
        pull();
        send(request);
      } else {
        const Due due = later_.top();
        later_.pop();
        due.row < 0 ? send(due.request) : start(static_cast<std::size_t>(due.row));
      }
    }
  }

  void send(Request request) {
    const std::size_t row = done_.requests.size();
    if (request.id < 0) request.id = static_cast<std::int64_t>(row);
    done_.requests.push_back(request);
    done_.answers.emplace_back();
    progress_.sent += 1;
    start(row);
  }

  void start(std::size_t row) {
    const Request& request = done_.requests[row];
    HttpRequest http =
        http_request(options_.server, prompts_.prompt_of(request), request.output_tokens);
    http.give_up_at = request.deadline;
    const AnswerReading how{options_.server.stream, request.reusable, watcher_.wants_times()};
    Exchange& exchange = exchanges_.emplace_back(*this, row, how);
    exchange.stands_at(std::prev(exchanges_.end()));
    done_.answers[row].sent = clock_.now();
    transfers_->start(std::move(http), &exchange);
  }

  void take_answer(std::size_t row, const HttpEnd& end, AnswerReader& reader, Time now) {
    if (sends_again(row, end, reader, now)) return;
    ObservedAnswer& answer = done_.answers[row];
    const bool whole = end.failure == HttpFailure::none && reader.finish(now);
    AnswerFacts facts = reader.take_facts();
    answer.first_token = facts.first_token;
    answer.last_token = facts.last_token;
    answer.chunks = facts.chunks;
    answer.prompt_tokens = facts.usage.prompt_tokens;
    answer.output_tokens = facts.usage.completion_tokens;
    answer.finish_reason = std::move(facts.finish_reason);
    if (whole) {
      answer.status = AnswerStatus::ok;
      prompts_.keep_answer(done_.requests[row], std::move(facts.text));
    } else if (end.failure != HttpFailure::cancelled) {
      answer.status =
          end.failure == HttpFailure::timed_out ? AnswerStatus::timeout : AnswerStatus::error;
      answer.refused = end.failure == HttpFailure::refused;
      answer.problem = end.failure == HttpFailure::none ? reader.problem() : end.problem;
      progress_.failed += 1;
    }
    progress_.finished += 1;
    watcher_.on_answer(done_.requests[row], answer, facts.times);
    if (end.failure != HttpFailure::cancelled) plan_follow_up(row, now);
  }

  // Only what was refused before any answer, and while there is time.
  bool sends_again(std::size_t row, const HttpEnd& end, const AnswerReader& reader, Time now) {
    ObservedAnswer& answer = done_.answers[row];
    if (end.failure != HttpFailure::refused || reader.facts().chunks > 0) return false;
    if (answer.retries >= options_.retries) return false;
    const Duration pause =
        std::min(kFirstPause * (std::int64_t{1} << std::min(answer.retries, 10)), kLongestPause);
    const Time at = now + pause;
    if (at > options_.horizon || at >= done_.requests[row].deadline) return false;
    answer.retries += 1;
    later_.push({at, planned_++, {}, static_cast<std::int64_t>(row)});
    return true;
  }

  void plan_follow_up(std::size_t row, Time now) {
    const Request& request = done_.requests[row];
    if (!request.awaited) return;
    Departure departure{.row = static_cast<std::uint32_t>(row),
                        .tags = request.tags,
                        .at = now,
                        .awaited = true,
                        .completed = done_.answers[row].status == AnswerStatus::ok,
                        .generated_tokens = static_cast<std::int32_t>(done_.answers[row].tokens())};
    if (!departure.completed) done_.ended_sessions += 1;
    Request next;
    if (!source_.follow_up(departure, &next) || next.arrival > options_.horizon) return;
    later_.push({next.arrival, planned_++, next, -1});
  }

  bool is_full() const {
    return static_cast<std::int64_t>(transfers_->under_way()) >= options_.max_concurrency;
  }

  RequestSource& source_;
  PromptWriter& prompts_;
  const LoadOptions& options_;
  LoadWatcher& watcher_;
  Stopwatch clock_;
  std::unique_ptr<HttpTransfers> transfers_;
  std::list<Exchange> exchanges_;  // under way
  Observation done_;
  Due next_new_;  // from the source; never due = there is none
  std::priority_queue<Due, std::vector<Due>, std::greater<Due>> later_;
  std::int64_t planned_ = 0;
  bool held_back_ = false;  // the next one due has been counted so
  LoadProgress progress_;
};

}  // namespace

HttpRequest http_request(const ServerRequest& server, std::string_view prompt,
                         std::int64_t output_tokens) {
  CompletionRequest completion{.format = server.format,
                               .model = server.model,
                               .prompt = prompt,
                               .max_tokens = server.limits_length ? output_tokens : 0,
                               .exact_length = server.limits_length && server.exact_length,
                               .stream = server.stream};
  return HttpRequest{.url = server.url + std::string(path_of(server.format)),
                     .body = request_body(completion),
                     .bearer_token = server.bearer_token,
                     .content_type = server.stream ? "text/event-stream" : "application/json"};
}

Result<Observation> generate_load(RequestSource& source, PromptWriter& prompts,
                                  const LoadOptions& options, LoadWatcher& watcher) {
  return LoadGenerator(source, prompts, options, watcher).run();
}

}  // namespace plimsoll
