// The rounds of a plan: which candidates are asked next, and which are left because their best
// possible end cannot beat what was shown of another.
//
// The verdict of one replica that serves each request alone (planner/capacity.h), asked once for
// each engine of a plan, not once for each candidate: places in a batch, routing and the number of
// replicas change nothing for a request that is alone.
#pragma once

#include <vector>

#include "planner/candidate_opening.h"
#include "planner/plan_tests.h"

namespace plimsoll {

class IdleVerdicts {
 public:
  explicit IdleVerdicts(PlanTests* tests) : tests_(*tests) {}

  /// Tells all that are open what is known of their engine.
  void tell(std::vector<OpenCandidate>* open) const;

  /// Returns those candidates whose engines have to be asked before anything else: where it is
  /// waited for, and everywhere once an engine was found that serves no request in time. One of
  /// each engine.
  std::vector<OpenCandidate*> unknown_of(const std::vector<OpenCandidate*>& some) const;

  Result<void> ask(const std::vector<OpenCandidate*>& some);

 private:
  struct Known {
    Candidate candidate;  ///< that was asked for its engine
    const Deployed* deployed = nullptr;
    LoadProbe test;
  };

  PlanTests& tests_;
  std::vector<Known> known_;
  bool any_fails_ = false;
};

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
  bool is_cheaper(const OpenCandidate& shown, const OpenCandidate& open) const;
  bool dominates(const OpenCandidate& shown, const OpenCandidate& open) const;
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
