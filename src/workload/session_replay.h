// Replays the sessions of a recorded workload in a closed loop: the first round of each arrives as
// recorded, later ones when their client has the answer to the round before and has thought.
// Requests without a session arrive as recorded. For `replay --session-mode closed-loop`.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/units.h"
#include "workload/request.h"
#include "workload/request_maker.h"
#include "workload/think_time.h"
#include "workload/workload.h"

namespace plimsoll {

struct SessionReplayOptions {
  std::uint64_t seed = 42;
  std::optional<ThinkTime> think_time;  ///< instead of RequestTags::think_time
  /// Input lengths are what a round adds: its prompt begins with all earlier prompts and answers.
  bool accumulate = false;
  bool follow_ups_as_recorded = true;  ///< see Semantics, as the next two
  bool context_has_last_token = true;
  Duration default_timeout = kNoDuration;  ///< of follow-ups that are not as recorded
};

/// Rows of a workload by session and round.
using SessionRows = std::vector<std::vector<std::uint32_t>>;

/// A spec error, for `file`, unless the rounds of each session are 0, 1, 2, ...
Result<SessionRows> sessions_of(const Workload& workload, const std::string& file);

class SessionReplay final : public RequestSource {
 public:
  /// The workload must outlive it.
  SessionReplay(const Workload& workload, SessionRows sessions,
                const SessionReplayOptions& options);

  bool next(Request* request) override;
  bool reacts() const override { return true; }
  Duration reaction_time() const override { return shortest_think_time_; }
  bool follow_up(const Departure& departure, Request* request) override;
  const Labels& labels() const override { return workload_.labels; }

  /// When the last request arrives that waits for no answer.
  Time last_recorded_arrival() const;

 private:
  Request row(std::size_t index) const { return request_at(workload_, index); }
  Request later_row(std::size_t index, std::size_t first, Time arrival) const;
  void expect_answer(Request* request) const;

  const Workload& workload_;
  const SessionRows sessions_;
  const SessionReplayOptions options_;
  std::vector<std::uint32_t> initial_;  ///< rows that wait for no answer, by arrival
  std::size_t position_ = 0;
  Duration shortest_think_time_;
  std::vector<SessionContext> so_far_;  ///< by session, if they accumulate
  SessionContexts contexts_;
};

}  // namespace plimsoll
