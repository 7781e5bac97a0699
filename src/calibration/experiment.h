// Measurements of a deployment, each beside the prediction that a simulation of the same thing
// gives: what a calibration is fitted to. Made of recordings and of cases.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/semantics.h"
#include "catalog/model.h"
#include "cluster/deployment.h"
#include "perf/step_time_model.h"
#include "profile/profile.h"
#include "validation/case.h"
#include "workload/trace_v2.h"

namespace plimsoll {

/// `step`: one of the engine, or several in a row.
enum class Measure { ttft, tpot, step };

inline constexpr Measure kMeasures[]{Measure::ttft, Measure::tpot, Measure::step};

std::string_view name_of(Measure measure);  ///< "ttft_ms"

struct MeasuredLatency {
  Measure what = Measure::ttft;
  double measured_ms = 0;  ///< positive
  /// Stretches of the experiment, one after the other from 0: what lies in one went through the
  /// same conditions, and is fitted or held out as a whole.
  std::int64_t block = 0;
  /// The group of those alike in load and prompt, numbered from 0: when a single request gets its
  /// first token is a matter of luck, so that alike ones are compared together, by their median.
  std::int64_t cell = 0;
};

struct Experiment {
  std::string source;
  StepTimePtr base;
  bool seen_by_client = false;
  std::vector<MeasuredLatency> observations;
  double prompt_tokens = 0;  ///< of a usual request
  double load = 0;           ///< requests under way, usually
  /// In milliseconds, one per observation; NaN where the simulation gives none.
  std::function<std::vector<double>(StepTimePtr)> predict;
  std::vector<std::string> notes;  ///< what was left out, and why
};

/// A request that was observed, for sorting into cells.
struct Seen {
  double begin_s = 0;
  double first_s = 0;  ///< its first token
  double end_s = 0;
  std::int64_t prompt_tokens = 0;
};

/// How many others had begun and not ended when each began.
std::vector<double> under_way(const std::vector<Seen>& requests);

/// The cell of each request: by what decides its TTFT or TPOT, then by how many others were under
/// way when it came. A TTFT depends on its own prompt, a TPOT on how fast the prompts of others
/// came while it decoded; neither of these on how well it was served itself.
std::vector<std::int64_t> cells_of(const std::vector<Seen>& requests, Measure what);

/// The block of row i of n: some twenty rows each, at least 3 and at most 30 blocks.
std::int64_t block_of(std::size_t i, std::size_t n);

// Measured runs in the case format (docs/reference/measurements.md, "Cases") as experiments.

/// A case as an experiment, and of which deployment it is.
struct CaseExperiment {
  Experiment experiment;
  std::string gpu;  ///< name in the catalog
  Parallelism layout;
};

/// Per request where the case has such rows, else the mean TTFT and TPOT of each stage, each point
/// of a closed loop, or the run. The case must outlive it. Cases that say nothing of step times are
/// an error: overloaded ones, and those that `validate` cannot simulate.
Result<CaseExperiment> experiment_of(const Case& measured, const ModelConfig& model,
                                     Sampling sampling, const std::string& latency_model);

/// A recorded run of a real deployment (TraceV2, as `plimsoll observe` writes it) as an experiment:
/// the same requests are sent to the simulated deployment at the same moments. One TTFT and one
/// TPOT per request that was answered whole; all others are simulated too. Warm-up requests do not
/// count. An error if nothing remains.
Result<Experiment> experiment_of(std::shared_ptr<const TraceV2> trace, const Deployment& deployment,
                                 const Semantics& semantics, const std::string& source);

/// Steps that were timed one by one as an experiment: nothing is simulated, each is priced by the
/// model and compared. There must be at least one. Every third, in the order given, is held out.
Experiment experiment_of(std::vector<MeasuredSteps> steps, StepTimePtr base, std::string source);

}  // namespace plimsoll
