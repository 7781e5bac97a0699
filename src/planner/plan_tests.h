// The tests of a plan: how long each may take, and which of them the journal has already. Called by
// planner/plan_rounds.h, and by planner/plan.cc for what is measured of the best.
#pragma once

#include <cstdint>
#include <vector>

#include "planner/candidate_opening.h"
#include "planner/plan_journal.h"

namespace plimsoll {

class PlanTests {
 public:
  /// `journal` may be null.
  PlanTests(const PlanRequest& request, const Execution& execution, PlanJournal* journal)
      : request_(request), execution_(execution), journal_(journal) {}

  /// The tag of a job is the index of its candidate.
  ProbeJob job(const OpenCandidate& open, double rate_rps, std::int64_t replicas) const;
  /// Of one replica that serves each request alone.
  ProbeJob idle_job_of(const OpenCandidate& open) const;

  /// As run_probes(), but for what the journal has.
  Result<NumberedProbes> run(const std::vector<ProbeJob>& jobs);

  bool keep_going() const { return execution_.keep_going(); }
  std::int64_t count() const { return count_; }

 private:
  const PlanRequest& request_;
  const Execution& execution_;
  PlanJournal* journal_;
  std::int64_t count_ = 0;
};

}  // namespace plimsoll
