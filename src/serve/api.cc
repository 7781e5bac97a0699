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
  Json full{{"verdict", answer.verdict},
            {"command", answer.command},
            {"notes", answer.messages},
            {"cut_short", answered.cut_short},
            {"answer", Json::parse(answer.json)}};
  if (!answer.charts.empty()) full["charts"] = answer.charts;
  return full.dump() + "\n";
}

std::string query_value(const WebRequest& request, const char* name) {
  const auto found = request.query.find(name);
  return found == request.query.end() ? "" : found->second;
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
        out.answer = verb.answer(fields, {[&] { return nobody_waits.load() || is_late(); },
                                          listener.on_progress, listener.draws});
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

WebResponse Api::streamed(const ApiVerb& verb, Json fields, std::optional<double> within_s,
                          bool draws, const WebRequest& request) {
  const auto work = [this, &verb, fields = std::move(fields),
                     within_s](const ApiListener& listener) {
    const Answered answered = ask(verb, fields, within_s, listener);
    return answered.how == Answered::How::answered ? full_form(answered)
                                                   : response_of_failure(answered).body;
  };
  const auto line_of = [](const Json& progress) { return progress.dump() + "\n"; };
  WebResponse response;
  response.type = "application/jsonl";
  response.stream = std::make_shared<AnswerStream>(work, line_of, request.is_gone, draws);
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
  const std::string form = query_value(request, "form");
  if (!form.empty() && form != "full" && form != "stream")
    return http_error(400, "form must be full or stream, not \"" + form + "\"");
  const std::string charts = query_value(request, "charts");
  if (!charts.empty() && (charts != "true" || form.empty()))
    return http_error(400, "charts must be true, and form full or stream",
                      "leave charts out: the answer alone has none");
  const bool draws = !charts.empty();
  if (form == "stream") return streamed(verb, fields, within, draws, request);
  const Answered answered = ask(verb, fields, within, {request.is_gone, {}, draws});
  if (answered.how != Answered::How::answered) return response_of_failure(answered);
  WebResponse response;
  response.body = form == "full" ? full_form(answered) : answered.answer.json;
  if (answered.cut_short) response.headers.emplace_back("Plimsoll-Cut-Short", "true");
  return response;
}

}  // namespace plimsoll
