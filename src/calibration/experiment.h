// Measurements of a deployment, each beside the prediction that a simulation of the same thing
// gives: what a calibration is fitted to. Made by recording.h and cases.h.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "perf/step_time_model.h"

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
  /// What is alike in load and prompt, numbered from 0: when a single request gets its first token
  /// is a matter of luck, so that alike ones are compared together, by their median.
  std::int64_t cell = 0;
};

struct Experiment {
  std::string source;
  std::shared_ptr<const StepTimeModel> base;
  bool seen_by_client = false;
  std::vector<MeasuredLatency> observations;
  double prompt_tokens = 0;  ///< of a usual request
  double load = 0;           ///< requests under way, usually
  /// In milliseconds, one per observation; NaN where the simulation gives none.
  std::function<std::vector<double>(std::shared_ptr<const StepTimeModel>)> predict;
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

}  // namespace plimsoll
