// Several deployments under the same traffic, each with several seeds, on as many threads as asked
// for. Results do not depend on the number of threads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "base/result.h"
#include "metrics/summary.h"
#include "setup/run_spec.h"
#include "setup/setup.h"
#include "setup/traffic.h"

namespace plimsoll {

/// A deployment, and all that a run of it needs but the seed.
struct Trial {
  RunSpec run;
  Setup setup;
  SummaryOptions summary;  ///< without what only deployment and traffic know
};

/// How far all runs are.
struct TrialProgress {
  std::size_t done = 0;
  std::size_t runs = 0;
  double share = 0;  ///< of all that has to be simulated
};

/// One run of them.
struct TrialRun {
  std::size_t number = 0;  ///< all trials with the first seed, then all with the second, and so on
  std::size_t trial = 0;
  std::uint64_t seed = 0;
};

struct TrialWatch {
  std::size_t threads = 1;
  std::function<bool()> keep_going;                ///< asked by any thread
  std::function<void(const TrialProgress&)> look;  ///< called now and then by the calling thread
  /// The summary of a run that was done before.
  std::function<std::optional<Summary>(const TrialRun&)> known;
  /// Asked by any thread about a run that was not: false leaves it out.
  std::function<bool(const TrialRun&)> wanted;
  std::function<void(const TrialRun&, const Summary&)> done;  ///< called by any thread
};

struct TrialRuns {
  std::vector<std::vector<Summary>> by_trial;  ///< of each: one summary per seed, in their order
  std::size_t seeds = 0;                       ///< that all trials have been run with
  bool interrupted = false;
};

/// Runs every trial with the seeds `first_seed`, `first_seed` + 1, ...; `traffic` is that of the
/// first seed, made for the first trial. Where the work was stopped early, what remains are the
/// seeds that all trials have done.
Result<TrialRuns> run_trials(const std::vector<Trial>& trials, Traffic traffic, std::size_t seeds,
                             const TrialWatch& watch);

}  // namespace plimsoll
