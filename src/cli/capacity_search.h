// The searches behind an answer of `plimsoll capacity`: the largest rate or the fewest instances,
// what is to spare beyond that, what the error of the step-time model means for it; with progress
// and Ctrl-C. Called by capacity.cc.
#pragma once

#include <cstdint>
#include <mutex>
#include <optional>
#include <string>

#include "base/result.h"
#include "cli/options.h"
#include "cli/progress.h"
#include "perf/model_error.h"
#include "report/capacity/capacity.h"

namespace plimsoll {

/// What to know before the first test: tests of so many instances are long, or too short to settle
/// (requests_to_settle()). Empty: neither.
std::string note_on_length(std::int64_t instances, std::int64_t to_settle,
                           const ProbeEffort& effort);

class CapacitySearch {
 public:
  /// All have to outlive it. `report` has the question and the estimate, and gets the answers.
  CapacitySearch(const Options& options, const ProbedSystem& system, bool for_instances,
                 CapacityReport* report)
      : options_(options), system_(system), for_instances_(for_instances), report_(*report) {}

  /// `whole_requests`: of traffic that is finite; 0: tests are as long as they have to be.
  Result<void> run(const std::optional<ModelError>& error, std::int64_t whole_requests);

  bool interrupted() const { return interruption_.requested(); }

 private:
  /// Of tests of so many; of finite traffic they have all of it.
  ProbeEffort effort_for(std::int64_t instances) const;
  std::int64_t instances_to_test() const;
  Execution execution();
  bool confirms() const { return !system_.other_loads.empty(); }
  double lowest_rps() const { return kIdleShare * report_.estimate.rate_rps; }

  int parts(bool varies_model) const {
    return 1 + (for_instances_ ? 1 : 0) + (varies_model ? 1 : 0);
  }
  WorkSoFar work_so_far(const LoadProbe& test, const std::vector<Slo>& slos) const;

  Result<void> search_rate();
  Result<void> test_asked_rate();
  Result<void> search_instances();
  Result<void> measure_headroom();
  Result<void> test_with_headroom();
  Result<void> test_idle();
  Result<void> vary_model(const ModelError& error);
  Result<double> answer_with(double factor);

  const Options& options_;
  const ProbedSystem& system_;
  bool for_instances_;
  CapacityReport& report_;
  std::int64_t whole_requests_ = 0;
  ProbeEffort effort_;
  Interruption interruption_;
  ProgressLine line_;
  std::mutex one_at_a_time_;
  std::int64_t tested_ = 0;
  int parts_ = 1;
  int parts_done_ = 0;
};

}  // namespace plimsoll
