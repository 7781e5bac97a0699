// A candidate of a plan on its way: what was told of it so far, and what it could still turn out to
// be. Made by planner/candidate_opening.h, asked by planner/plan_rounds.h.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include "planner/minimum_search.h"
#include "planner/plan.h"
#include "planner/rate_search.h"

namespace plimsoll {

struct OpenCandidate {
  std::size_t index = 0;  ///< in the plan
  CandidateResult* result = nullptr;
  const Deployed* deployed = nullptr;
  /// One of the two is there: the most it serves, or the fewest replicas for the target rate.
  std::optional<RateSearch> rates;
  std::optional<MinimumSearch> replicas;
  std::vector<LoadProbe> probes;
  std::optional<LoadProbe> idle;         ///< of one replica that serves each request alone
  std::optional<std::size_t> beaten_by;  ///< index in the plan

  /// By arithmetic, with all its replicas. Infinite with a target rate.
  double most_rps = std::numeric_limits<double>::infinity();
  // With a target rate, what it costs by the objective: at least, and as it was shown.
  std::int64_t possible_replicas = 0;
  double possible_cost = 0;
  double proven_cost = std::numeric_limits<double>::infinity();
  std::int64_t possible_gpus = 0;
  std::int64_t proven_gpus = 0;

  /// No load and no number of replicas would do.
  bool is_impossible() const { return idle && idle->answer == Answer::fails; }
  /// Waits for what one replica says that serves each request alone.
  bool asks_idle() const {
    if (idle || is_impossible()) return false;
    return rates ? !probes.empty() && rates->good() <= 0 : replicas->asks_idle();
  }
  void tell_idle(const LoadProbe& test) {
    idle = test;
    if (replicas) replicas->tell_idle(test.answer);
  }

  bool has_more() const {
    if (is_impossible()) return false;
    if (rates) return !rates->next().empty() || rates->unconfirmed();
    return replicas->asks_idle() || !replicas->next().empty() || replicas->unconfirmed();
  }
};

}  // namespace plimsoll
