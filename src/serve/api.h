// POST /api/VERB: the fields of a question as JSON, and exactly what --json prints as the answer.
// With `?form=full` the verdict, the command and the notes stand beside it; with `?within=SECONDS`
// the answer is what is known after so much work, or less where many ask at once; with
// `?form=stream` lines of JSON tell of progress until the full form ends them; with `?charts=true`
// both have charts as markup, and with `?report=true` the full form says where the page of the
// answer is kept.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "serve/answer_stream.h"
#include "serve/api_verb.h"
#include "serve/http_server.h"

namespace plimsoll {

// How many simulations run at a time, and who is next: short ones before long ones, and one place
// that no long one takes, so that a first answer never waits for a thorough one. Where no long one
// runs, the oldest waits for a few seconds at most, however many short ones come.

class SimulationSlots {
 public:
  enum class Turn { granted, full, given_up };

  /// `most` at a time, 1 at least; beyond those that wait, whoever comes is sent away. `patience`:
  /// how long short ones may go before a long one while none of those runs.
  SimulationSlots(std::size_t most, std::size_t most_waiting,
                  std::chrono::milliseconds patience = std::chrono::seconds(3))
      : most_(most),
        most_long_(most > 1 ? most - 1 : 1),
        most_waiting_(most_waiting),
        patience_(patience) {}

  /// Waits for a place, which leave() gives back; looks some times a second whether that is still
  /// wanted. May be called on any thread.
  Turn enter(bool is_short, const std::function<bool()>& given_up);
  void leave(bool is_short);

  /// The share of the time that a short one wants, so that all who ask now get their answer in that
  /// time.
  double share();

 private:
  using Clock = std::chrono::steady_clock;

  bool is_next(bool is_short, std::uint64_t ticket) const;
  bool is_long_one_due() const;

  const std::size_t most_;
  const std::size_t most_long_;
  const std::size_t most_waiting_;
  const Clock::duration patience_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::uint64_t> waiting_[2];  // tickets: of long ones, of short ones
  std::size_t running_[2] = {0, 0};
  std::uint64_t tickets_ = 0;
  Clock::time_point no_long_since_;  ///< since then long ones wait, and none runs
};

struct ApiOptions {
  double time_limit_s = 60;          ///< of a request, its waiting included
  std::size_t most_simulations = 1;  ///< at a time
  std::size_t most_waiting = 64;     ///< for one of them to end
};

/// An answer, and what became of the request.
struct Answered {
  enum class How { answered, refused, busy, too_late, gone };
  How how = How::answered;
  ApiAnswer answer;
  bool cut_short = false;  ///< the time was up: it is what was known by then
};

class Api {
 public:
  Api(std::vector<ApiVerb> verbs, const ApiOptions& options)
      : verbs_(std::move(verbs)),
        options_(options),
        slots_(options.most_simulations, options.most_waiting) {}

  const std::vector<ApiVerb>& verbs() const { return verbs_; }
  const ApiVerb* find(const std::string& name) const;

  /// Waits for its turn, and stops when nobody waits for the answer any more. `within_s`: of work;
  /// none: as long as the server allows.
  Answered ask(const ApiVerb& verb, const Json& fields, std::optional<double> within_s,
               const ApiListener& listener);

  WebResponse respond(const ApiVerb& verb, const WebRequest& request);

  const KeptPages& pages() const { return pages_; }

 private:
  /// What stands in the query of a request.
  struct Wishes {
    std::optional<double> within_s;
    std::string form;
    bool draws = false;
    bool wants_page = false;
  };
  static std::variant<Wishes, WebResponse> wishes_of(const WebRequest& request);

  WebResponse streamed(const ApiVerb& verb, Json fields, const Wishes& wishes,
                       const WebRequest& request);
  std::string full_form(Answered answered);

  std::vector<ApiVerb> verbs_;
  ApiOptions options_;
  SimulationSlots slots_;
  KeptPages pages_;
};

/// {"error": ...} of what was no answer.
WebResponse response_of_failure(const Answered& answered);

}  // namespace plimsoll
