// Which candidates of a plan are worth a test at all: those that can be deployed, keep the limits
// on GPUs and money, and serve enough by a bound that is certain. The others keep the reason.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "planner/deployments.h"
#include "planner/minimum_search.h"
#include "planner/plan.h"
#include "planner/rate_search.h"

namespace plimsoll {

/// A candidate of a plan on its way: what was told of it so far, and what it could still turn out
/// to be. Asked by planner/plan_rounds.h.
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

  /// The most that all its replicas can serve, by arithmetic. Infinite with a target rate.
  double most_rps = std::numeric_limits<double>::infinity();
  // With a target rate, what it costs by the objective: at least, and as it was shown.
  std::int64_t possible_replicas = 0;
  double possible_cost = 0;
  double proven_cost = std::numeric_limits<double>::infinity();
  std::int64_t possible_gpus = 0;
  std::int64_t proven_gpus = 0;

  /// Spare ones included.
  std::int64_t paid_replicas() const {
    return result->candidate.replicas + result->candidate.spare;
  }
  /// No load and no number of replicas would do.
  bool is_impossible() const { return idle && idle->answer == Answer::fails; }
  /// Waits for what one replica says that serves each request alone.
  bool asks_idle() const {
    if (idle || is_impossible()) return false;
    // The first rate is one that should be too high.
    return rates ? probes.size() > 1 && rates->good() <= 0 : replicas->asks_idle();
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

/// The one of this index in the plan, which is among them.
inline const OpenCandidate& candidate_at(const std::vector<OpenCandidate>& open,
                                         std::size_t index) {
  return *std::ranges::find(open, index, &OpenCandidate::index);
}

/// They point into both arguments.
std::vector<OpenCandidate> open_candidates(const PlanRequest& request,
                                           const Deployments& deployments,
                                           std::vector<CandidateResult>* results);

/// The GPUs and the money that a candidate takes with so many replicas, and whether that is within
/// the limits of a request.
class CandidateBills {
 public:
  explicit CandidateBills(const PlanRequest& request) : request_(request) {}

  // `needed`: replicas that the load needs. Spare ones come on top.
  std::int64_t gpus_of(const OpenCandidate& open, std::int64_t needed) const;
  double usd_of(const OpenCandidate& open, std::int64_t needed) const;
  /// The candidate with so many and its spare ones.
  Candidate sized(const OpenCandidate& open, std::int64_t needed) const;
  /// GPUs or dollars, whatever the objective counts; GPUs where a price is missing.
  double objective_cost(const OpenCandidate& open, std::int64_t needed) const;

  /// The result's fleet and bill, with its number of replicas.
  void set_bill(const OpenCandidate& open) const;
  bool asks_for_money() const;

  /// False comes with the reason and the prices that are missing, in the result.
  bool within_limits(const OpenCandidate& open, std::int64_t needed) const;
  /// Between one replica, which is within the limits, and `most`.
  std::int64_t most_within_limits(const OpenCandidate& open, std::int64_t most) const;

 private:
  FleetSize fleet_of(const OpenCandidate& open, std::int64_t needed) const;
  Bill bill_for(const OpenCandidate& open, std::int64_t needed) const;
  std::vector<std::string> missing_prices(const OpenCandidate& open) const;

  const PlanRequest& request_;
};

}  // namespace plimsoll
