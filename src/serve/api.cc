#include "serve/api.h"

#include <algorithm>
#include <atomic>
#include <chrono>

#include "base/json.h"
#include "base/lists.h"
#include "base/parallel.h"
#include "base/text.h"
#include "serve/answer_stream.h"

namespace plimsoll {
namespace {

using Clock = std::chrono::steady_clock;

// Questions that are to be answered so soon have a place that others do not take.
constexpr double kShortS = 1;
constexpr double kMostS = 86'400;

constexpr int kInterrupted = 130;
constexpr int kBadInput = 2;
constexpr int kNotUsable = 3;

Clock::time_point after(double seconds) {
  return Clock::now() +
         std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
}

class Place {
 public:
  Place(SimulationSlots& slots, bool is_short) : slots_(slots), is_short_(is_short) {}
  ~Place() { slots_.leave(is_short_); }
  Place(const Place&) = delete;
  Place& operator=(const Place&) = delete;

 private:
  SimulationSlots& slots_;
  const bool is_short_;
};

Json problem_json(const Diagnostic& d) {
  Json problem{{"message", d.message}};
  if (!d.hint.empty()) problem["hint"] = d.hint;
  if (!d.file.empty()) problem["file"] = d.file;
  if (d.line > 0) problem["line"] = d.line;
  if (d.column > 0) problem["column"] = d.column;
  return problem;
}

WebResponse response_of_problems(const ApiAnswer& answer) {
  const int status = answer.exit_code == kBadInput    ? 400
                     : answer.exit_code == kNotUsable ? 422
                                                      : 500;
  if (answer.problems.empty()) return http_error(status, trimmed(answer.messages));
  Json error = problem_json(answer.problems.front());
  error["text"] = answer.messages;
  error["problems"] = Json::array_of(answer.problems, problem_json);
  WebResponse response;
  response.status = status;
  response.body = Json{{"error", error}}.dump() + "\n";
  return response;
}

std::string query_value(const WebRequest& request, const char* name) {
  const auto found = request.query.find(name);
  return found == request.query.end() ? "" : found->second;
}

// Of what only the full form and a stream have; null: `name` says something else than "true".
std::optional<bool> is_wanted(const WebRequest& request, const char* name,
                              const std::string& form) {
  const std::string value = query_value(request, name);
  if (value.empty()) return false;
  return value == "true" && !form.empty() ? std::optional(true) : std::nullopt;
}

}  // namespace

const ApiVerb* Api::find(const std::string& name) const {
  return find_in(verbs_, name, &ApiVerb::name);
}

Answered Api::ask(const ApiVerb& verb, const Json& fields, std::optional<double> within_s,
                  const ApiListener& listener) {
  using How = Answered::How;
  Clock::time_point end = after(options_.time_limit_s);
  const auto is_late = [&] { return Clock::now() > end; };
  const bool is_short = within_s.value_or(options_.time_limit_s) <= kShortS;
  const auto turn = slots_.enter(is_short, [&] { return is_late() || listener.stopped(); });
  if (turn == SimulationSlots::Turn::full) return {How::busy, {}, false};
  if (turn == SimulationSlots::Turn::given_up)
    return {listener.stopped() ? How::gone : How::too_late, {}, false};
  const Place place(slots_, is_short);
  if (within_s) end = std::min(end, after(*within_s * (is_short ? slots_.share() : 1)));
  Answered out;
  std::atomic<bool> nobody_waits = false;
  work_and_watch(
      [&] {
        out.answer =
            verb.answer(fields, {[&] { return nobody_waits.load() || is_late(); },
                                 listener.on_progress, listener.draws, listener.wants_page});
      },
      [&] {
        if (listener.stopped()) nobody_waits = true;
      });
  out.cut_short = out.answer.exit_code == kInterrupted;
  if (nobody_waits) {
    out.how = How::gone;
  } else if (out.answer.json.empty()) {
    out.how = out.cut_short ? How::too_late : How::refused;
  }
  return out;
}

WebResponse response_of_failure(const Answered& answered) {
  switch (answered.how) {
    case Answered::How::refused:
      return response_of_problems(answered.answer);
    case Answered::How::busy: {
      WebResponse response =
          http_error(429, "too many questions wait for an answer", "ask again in a few seconds");
      response.headers.emplace_back("Retry-After", "2");
      return response;
    }
    case Answered::How::too_late:
      return http_error(503, "the time was up before there was an answer",
                        "ask for less, or within more seconds; the server's --time-limit says how "
                        "many at most");
    default:
      return http_error(503, "the server is ending, or nobody waits for this answer");
  }
}

std::string Api::full_form(Answered answered) {
  ApiAnswer& answer = answered.answer;
  Json full{{"verdict", answer.verdict},
            {"command", answer.command},
            {"notes", answer.messages},
            {"cut_short", answered.cut_short},
            {"answer", Json::parse(answer.json)}};
  if (!answer.charts.empty()) full["charts"] = answer.charts;
  if (!answer.page.empty()) full["report"] = pages_.keep(std::move(answer.page));
  return full.dump() + "\n";
}

WebResponse Api::streamed(const ApiVerb& verb, Json fields, const Wishes& wishes,
                          const WebRequest& request) {
  const auto work = [this, &verb, fields = std::move(fields), wishes](ApiListener listener) {
    listener.wants_page = wishes.wants_page;
    Answered answered = ask(verb, fields, wishes.within_s, listener);
    return answered.how == Answered::How::answered ? full_form(std::move(answered))
                                                   : response_of_failure(answered).body;
  };
  const auto line_of = [](const Json& progress) { return progress.dump() + "\n"; };
  WebResponse response;
  response.type = "application/jsonl";
  response.stream = std::make_shared<AnswerStream>(work, line_of, request.is_gone, wishes.draws);
  return response;
}

std::variant<Api::Wishes, WebResponse> Api::wishes_of(const WebRequest& request) {
  static const std::vector<std::string> known{"within", "form", "charts", "report"};
  for (const auto& [name, value] : request.query) {
    if (!contains(known, name))
      return http_error(400, "unknown query parameter \"" + name + "\"", suggestion(name, known));
  }
  Wishes wishes;
  if (const auto asked = request.query.find("within"); asked != request.query.end()) {
    double seconds = 0;
    if (!parse_double(asked->second, &seconds) || !(seconds > 0) || seconds > kMostS) {
      return http_error(400, "within must be a number of seconds, not \"" + asked->second + "\"");
    }
    wishes.within_s = seconds;
  }
  wishes.form = query_value(request, "form");
  if (!wishes.form.empty() && wishes.form != "full" && wishes.form != "stream")
    return http_error(400, "form must be full or stream, not \"" + wishes.form + "\"");
  for (const auto& [name, wanted] :
       {std::pair{"charts", &Wishes::draws}, std::pair{"report", &Wishes::wants_page}}) {
    const auto value = is_wanted(request, name, wishes.form);
    if (!value)
      return http_error(400, std::string(name) + " must be true, and form full or stream",
                        std::string("leave ") + name + " out: the answer alone has none");
    wishes.*wanted = *value;
  }
  return wishes;
}

WebResponse Api::respond(const ApiVerb& verb, const WebRequest& request) {
  const std::string problem = json_problem(request.body);
  const Json fields = Json::parse(request.body);
  if (!problem.empty() || !fields.is_object()) {
    return http_error(400,
                      "the body is not a JSON object" + (problem.empty() ? "" : ": " + problem),
                      R"(send the fields of the question, e.g. {"model": "qwen3-14b"})");
  }
  const auto read = wishes_of(request);
  if (const auto* refused = std::get_if<WebResponse>(&read)) return *refused;
  const Wishes& wishes = std::get<Wishes>(read);
  if (wishes.form == "stream") return streamed(verb, fields, wishes, request);
  Answered answered =
      ask(verb, fields, wishes.within_s, {request.is_gone, {}, wishes.draws, wishes.wants_page});
  if (answered.how != Answered::How::answered) return response_of_failure(answered);
  WebResponse response;
  if (answered.cut_short) response.headers.emplace_back("Plimsoll-Cut-Short", "true");
  response.body =
      wishes.form == "full" ? full_form(std::move(answered)) : std::move(answered.answer.json);
  return response;
}

bool SimulationSlots::is_long_one_due() const {
  return !waiting_[0].empty() && running_[0] == 0 && Clock::now() - no_long_since_ >= patience_;
}

bool SimulationSlots::is_next(bool is_short, std::uint64_t ticket) const {
  if (running_[0] + running_[1] >= most_ || waiting_[is_short].front() != ticket) return false;
  if (is_long_one_due()) return !is_short;
  return is_short || (running_[0] < most_long_ && waiting_[1].empty());
}

SimulationSlots::Turn SimulationSlots::enter(bool is_short, const std::function<bool()>& given_up) {
  constexpr std::chrono::milliseconds kBetweenLooks{50};
  std::unique_lock lock(mutex_);
  if (waiting_[0].size() + waiting_[1].size() >= most_waiting_) return Turn::full;
  const std::uint64_t ticket = tickets_++;
  if (!is_short && waiting_[0].empty() && running_[0] == 0) no_long_since_ = Clock::now();
  waiting_[is_short].push_back(ticket);
  bool granted = false;
  while (!(granted = is_next(is_short, ticket))) {
    changed_.wait_for(lock, kBetweenLooks);
    if (given_up()) break;
  }
  std::erase(waiting_[is_short], ticket);
  if (granted) ++running_[is_short];
  changed_.notify_all();  // another may be next now
  return granted ? Turn::granted : Turn::given_up;
}

double SimulationSlots::share() {
  const std::lock_guard lock(mutex_);
  const std::size_t asking = std::max(most_, running_[0] + running_[1] + waiting_[1].size());
  return static_cast<double>(most_) / static_cast<double>(asking);
}

void SimulationSlots::leave(bool is_short) {
  const std::lock_guard lock(mutex_);
  --running_[is_short];
  if (!is_short) no_long_since_ = Clock::now();
  changed_.notify_all();
}

}  // namespace plimsoll
