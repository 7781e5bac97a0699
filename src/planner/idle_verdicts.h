// What one replica says that serves each request alone (planner/alone.h), asked once for each
// engine of a plan, not once for each candidate: places in a batch, routing and the number of
// replicas change nothing for a request that is alone. Called by planner/plan_rounds.h.
#pragma once

#include <vector>

#include "planner/plan_tests.h"

namespace plimsoll {

class IdleVerdicts {
 public:
  explicit IdleVerdicts(PlanTests* tests) : tests_(*tests) {}

  /// Tells all that are open what is known of their engine.
  void tell(std::vector<OpenCandidate>* open) const;

  /// Of some candidates, those whose engines have to be asked before anything else: where it is
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

}  // namespace plimsoll
