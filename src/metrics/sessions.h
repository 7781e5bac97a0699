// What users of multi-turn sessions see. Called by summarize().
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "engine/run_record.h"
#include "metrics/definitions.h"
#include "metrics/latency.h"
#include "stats/steady_state.h"

namespace plimsoll {

struct SessionFigures {
  std::int64_t sessions = 0;
  std::int64_t rounds = 0;  ///< requests that belong to a session
  std::int64_t cold_rounds = 0;
  std::int64_t warm_rounds = 0;
  LatencySummary ttft_cold;         ///< of first rounds
  LatencySummary ttft_warm;         ///< of all later ones, which may find their history cached
  std::int64_t timed_sessions = 0;  ///< those with a duration
  /// From the arrival of the first round to the last completion; of sessions of which the first
  /// round arrived and some round completed.
  LatencySummary duration;
};

/// Those of closed loops with a fixed number of users: each is one session without an end.
struct Users {
  std::int64_t users = 0;    ///< who came
  std::int64_t gave_up = 0;  ///< their last request timed out or was turned away: they never return
};

/// `clients`: the indices (RequestTags::client) of the clients that stand for users.
Users users_of(const RequestTable& table, const std::vector<std::int32_t>& clients);

/// A load that leaves with its users has no steady state, and more requests cannot help.
SteadyState judge_users(const Users& users, SteadyState state);

/// All zero when no request belongs to a session. Latencies are of requests from `first_row` on.
SessionFigures session_figures(const RequestTable& table, const MetricDefinitions& definitions,
                               std::size_t first_row);

}  // namespace plimsoll
