// The tests of a plan: how long each may take, and which of them its journal (base/journal.h) has
// already. make_plan() takes those instead of testing again, in the order in which it would have
// tested, and ends with the same plan.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "base/journal.h"
#include "base/result.h"
#include "planner/candidate_opening.h"
#include "planner/capacity.h"

namespace plimsoll {

class PlanTests {
 public:
  /// `journal` may be null.
  PlanTests(const PlanRequest& request, const Execution& execution, Journal* journal)
      : request_(request), execution_(execution), journal_(journal) {}

  /// The tag of a job is the index of its candidate.
  ProbeJob job(const OpenCandidate& open, double rate_rps, std::int64_t replicas) const;
  /// The same, as long as `capacity` tests such a fleet, so that both find the same; with all steps
  /// longer by a factor.
  ProbeJob settled_job(const OpenCandidate& open, double rate_rps, std::int64_t replicas,
                       double step_factor = 1) const;
  /// The test of one replica that serves each request alone.
  ProbeJob idle_job_of(const OpenCandidate& open) const;

  /// As run_probes(), but for what was asked before and what the journal has.
  Result<NumberedProbes> run(const std::vector<ProbeJob>& jobs);

  bool keep_going() const { return execution_.keep_going(); }
  std::int64_t count() const { return std::ssize(done_); }

 private:
  using Key = std::tuple<std::int64_t, double, double, std::int32_t, std::int64_t>;
  static Key key_of(const ProbeJob& job) {
    return {job.tag, job.step_factor, job.rate_rps, job.instances, job.draw};
  }

  std::string unit_of_test(const ProbeJob& job) const;
  std::optional<LoadProbe> journaled(const ProbeJob& job) const;

  const PlanRequest& request_;
  const Execution& execution_;
  Journal* journal_;
  /// Done so far: what compares candidates asks for tests that the search had.
  std::map<Key, LoadProbe> done_;
};

}  // namespace plimsoll
