// The rounds of a plan: which candidates are asked next, and which are left because their best
// possible end cannot beat what was shown of another.
#pragma once

#include <vector>

#include "planner/candidate_bill.h"
#include "planner/idle_verdicts.h"
#include "planner/plan_tests.h"

namespace plimsoll {

class PlanRounds {
 public:
  PlanRounds(const PlanRequest& request, std::vector<OpenCandidate>* open, PlanTests* tests,
             IdleVerdicts* idle);

  /// Leaves out those that are beaten and asks the most promising ones of the others; false when
  /// there is nothing left to ask. What beats others may turn out not to hold: they come back.
  Result<bool> next();
  PlanProgress progress() const;

 private:
  void set_costs(OpenCandidate* open) const;
  double optimistic_rate(const OpenCandidate& open) const;
  double optimistic_cost(const OpenCandidate& open) const;
  void set_bounds();
  static double shown_cost(const OpenCandidate& open);
  void mark_beaten();
  const OpenCandidate* cheaper_than(const OpenCandidate& open) const;
  const OpenCandidate* dominates(const OpenCandidate& open) const;
  std::vector<OpenCandidate*> most_promising();
  Result<void> ask(const std::vector<OpenCandidate*>& asked);
  std::vector<ProbeJob> jobs_of(const OpenCandidate& open) const;
  static void tell(std::vector<LoadProbe> probes, std::size_t asked_for, OpenCandidate* open);

  const PlanRequest& request_;
  const CandidateBills bills_;
  std::vector<OpenCandidate>& open_;
  PlanTests& tests_;
  IdleVerdicts& idle_;
};

}  // namespace plimsoll
