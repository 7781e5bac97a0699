// One answer as it arrives: counts its tokens, keeps the times that are asked for, and knows when
// something is wrong with it. Fed by whoever transfers the body.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/units.h"
#include "net/completion_api.h"
#include "net/http_transfers.h"
#include "net/sse_parser.h"

namespace plimsoll {

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
