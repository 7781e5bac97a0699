// Several deployments under the same traffic, each with several seeds, on as many threads as asked
// for. Results do not depend on the number of threads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "cli/options.h"
#include "cli/setup.h"
#include "cli/traffic.h"
#include "metrics/summary.h"

namespace plimsoll {

/// A deployment, and all that a run of it needs but the seed.
struct Trial {
  Options options;
  Setup setup;
  SummaryOptions summary;  ///< without what only deployment and traffic know
};

struct TrialRuns {
  std::vector<std::vector<Summary>> by_trial;  ///< of each: one summary per seed, in their order
  std::size_t seeds = 0;                       ///< that all trials have been run with
  bool interrupted = false;
};

/// Runs every trial with the seeds `first_seed`, `first_seed` + 1, ...; `traffic` is that of the
/// first seed, made from the options of the first trial. Shows progress on stderr if that is a
/// terminal. Ctrl-C ends the work early: what remains are the seeds that all trials have done.
Result<TrialRuns> run_trials(const std::vector<Trial>& trials, Traffic traffic, std::size_t seeds,
                             std::size_t threads);

}  // namespace plimsoll
