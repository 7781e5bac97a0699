// One answer as it arrives: counts its tokens, keeps the times that are asked for, and knows when
// something is wrong with it. Fed by whoever transfers the body.
//
// Server-sent events, read as they arrive in pieces cut anywhere: lines that end in LF, CR or CRLF,
// comments, data of several lines, a byte order mark. Source: WHATWG HTML Living Standard, section
// 9.2.6, "Interpreting an event stream". Called for every piece of a streamed answer.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/units.h"
#include "net/completion_api.h"
#include "net/http_transfers.h"

namespace plimsoll {

class SseParser {
 public:
  using OnData = std::function<void(std::string_view data)>;

  /// An event of more than `max_event_bytes` is refused, so that a server cannot fill the memory.
  explicit SseParser(std::size_t max_event_bytes = std::size_t{1} << 20)
      : max_event_bytes_(max_event_bytes) {}

  /// Calls `on_data` with the data of each event that is complete now; events without data are
  /// skipped. False once an event was refused: nothing is read from then on.
  bool feed(std::string_view bytes, const OnData& on_data);

 private:
  void end_line(const OnData& on_data);
  void take_field(std::string_view line);

  std::size_t max_event_bytes_;
  std::string line_;  ///< as far as it has come
  std::string data_;  ///< of the event so far, each line ended by LF
  bool first_line_ = true;
  bool after_cr_ = false;  ///< an LF that comes next belongs to the line end before
  bool refused_ = false;
};

struct AnswerReading {
  bool stream = true;
  bool keep_text = false;
  bool keep_times = false;
};

struct AnswerFacts {
  Time first_token = kNever;  ///< of a stream
  Time last_token = kNever;
  std::int64_t chunks = 0;  ///< that brought tokens
  TokenUsage usage;         ///< by the server's count; zeros if it does not say
  std::string finish_reason;
  std::string text;         ///< if it is kept
  std::vector<Time> times;  ///< of the chunks that brought tokens, if they are kept
};

class AnswerReader {
 public:
  explicit AnswerReader(AnswerReading how) : how_(how) {}

  /// Bytes of the body that are here at `now`. False: nothing more can come of it, see problem().
  /// `on_gap` is told the time between two chunks with tokens.
  bool take(std::string_view bytes, Time now, const std::function<void(Duration)>& on_gap);

  /// The body is over. False: the answer is not whole, see problem().
  bool finish(Time now);

  const HttpProblem& problem() const { return problem_; }
  const AnswerFacts& facts() const { return facts_; }
  AnswerFacts take_facts() { return std::move(facts_); }

 private:
  bool fail(std::string reason, std::string detail = {});
  void take_event(std::string_view data, Time now, const std::function<void(Duration)>& on_gap);
  bool take_part(std::string_view json, AnswerPart* part);

  AnswerReading how_;
  SseParser events_;
  std::string body_;  ///< of an answer that is not streamed
  std::int64_t bytes_ = 0;
  AnswerFacts facts_;
  bool done_ = false;  ///< the server said so
  HttpProblem problem_;
};

}  // namespace plimsoll
