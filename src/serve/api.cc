#include "serve/api.h"

#include <algorithm>
#include <atomic>
#include <chrono>

#include "base/json_problem.h"
#include "base/lists.h"
#include "base/parallel.h"
#include "base/text.h"
#include "serve/answer_stream.h"
#include "serve/guard.h"

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

std::string full_form(const Answered& answered) {
  const ApiAnswer& answer = answered.answer;
  return Json{{"verdict", answer.verdict},
              {"command", answer.command},
              {"notes", answer.messages},
              {"cut_short", answered.cut_short},
              {"answer", Json::parse(answer.json)}}
             .dump() +
         "\n";
}

}  // namespace

const ApiVerb* Api::find(const std::string& name) const {
  return find_in(verbs_, name, &ApiVerb::name);
}

Answered Api::ask(const ApiVerb& verb, const Json& fields, std::optional<double> within_s,
                  const std::function<bool()>& is_gone,
                  const std::function<void(const Json&)>& on_progress) {
  using How = Answered::How;
  Clock::time_point end = after(options_.time_limit_s);
  const auto is_late = [&] { return Clock::now() > end; };
  const bool is_short = within_s.value_or(options_.time_limit_s) <= kShortS;
  const auto turn = slots_.enter(is_short, [&] { return is_late() || is_gone(); });
  if (turn == SimulationSlots::Turn::full) return {How::busy, {}, false};
  if (turn == SimulationSlots::Turn::given_up)
    return {is_gone() ? How::gone : How::too_late, {}, false};
  const Place place(slots_, is_short);
  if (within_s) end = std::min(end, after(*within_s * (is_short ? slots_.share() : 1)));
  Answered out;
  std::atomic<bool> nobody_waits = false;
  work_and_watch(
      [&] {
        out.answer = verb.answer(
            fields, [&] { return nobody_waits.load() || is_late(); }, on_progress);
      },
      [&] {
        if (is_gone()) nobody_waits = true;
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

WebResponse Api::streamed(const ApiVerb& verb, Json fields, std::optional<double> within_s,
                          const WebRequest& request) {
  const auto work = [this, &verb, fields = std::move(fields),
                     within_s](const AnswerStream::Listener& listener) {
    const Answered answered = ask(verb, fields, within_s, listener.stopped, listener.on_progress);
    std::string line = answered.how == Answered::How::answered ? full_form(answered)
                                                               : response_of_failure(answered).body;
    line.pop_back();  // its end
    return line;
  };
  WebResponse response;
  response.type = "application/jsonl";
  response.stream = std::make_shared<AnswerStream>(work, request.is_gone);
  return response;
}

WebResponse Api::respond(const ApiVerb& verb, const WebRequest& request) {
  const std::string problem = json_problem(request.body);
  const Json fields = Json::parse(request.body);
  if (!problem.empty() || !fields.is_object()) {
    return http_error(400,
                      "the body is not a JSON object" + (problem.empty() ? "" : ": " + problem),
                      R"(send the fields of the question, e.g. {"model": "qwen3-14b"})");
  }
  std::optional<double> within;
  if (const auto asked = request.query.find("within"); asked != request.query.end()) {
    double seconds = 0;
    if (!parse_double(asked->second, &seconds) || !(seconds > 0) || seconds > kMostS) {
      return http_error(400, "within must be a number of seconds, not \"" + asked->second + "\"");
    }
    within = seconds;
  }
  const auto asked_form = request.query.find("form");
  const std::string form = asked_form == request.query.end() ? "" : asked_form->second;
  if (form == "stream") return streamed(verb, fields, within, request);
  if (!form.empty() && form != "full")
    return http_error(400, "form must be full or stream, not \"" + form + "\"");
  const Answered answered = ask(verb, fields, within, request.is_gone);
  if (answered.how != Answered::How::answered) return response_of_failure(answered);
  WebResponse response;
  response.body = form == "full" ? full_form(answered) : answered.answer.json;
  if (answered.cut_short) response.headers.emplace_back("Plimsoll-Cut-Short", "true");
  return response;
}

}  // namespace plimsoll
