// What a candidate takes with so many replicas, in GPUs and in money, and whether that is within
// the limits of a request. Called by planner/candidate_opening.h, plan_rounds.h and plan_choice.h.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "planner/open_candidate.h"

namespace plimsoll {

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
