// A plan as points of cost against what they buy: what its charts draw, on a page and in text.
#pragma once

#include <string>

#include "report/plan/plan.h"

namespace plimsoll {

class PlanPoints {
 public:
  /// `report` has a best one.
  explicit PlanPoints(const PlanReport& report);

  bool priced() const { return priced_; }          ///< else cost is the number of GPUs
  bool by_latency() const { return by_latency_; }  ///< else by rate
  /// "TTFT p99", or "req/s".
  const std::string& value_name() const { return value_name_; }

  /// It was shown to hold something.
  static bool is_shown(const CandidateResult& r) { return r.at_good && r.good_rps > 0; }
  bool is_on_frontier(const CandidateResult& r) const { return report_.plan.is_on_frontier(r); }
  double cost(const CandidateResult& r) const;
  double value(const CandidateResult& r) const;  ///< req/s, or ms

 private:
  const PlanReport& report_;
  bool priced_;
  bool by_latency_;
  std::string value_name_;
};

/// "2 x H100"
std::string short_name(const Candidate& candidate);

/// The chart for terminals; "" where fewer than two points would be in it.
std::string frontier_text(const PlanReport& report, const Style& style);

}  // namespace plimsoll
