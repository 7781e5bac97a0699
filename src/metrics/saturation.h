// Saturation detectors: does the system keep up with what arrives? Each one is told of arrivals and
// completions in order of time and has a verdict after every event, in constant time. Formulas: the
// public simulator BLIS.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "base/semantics.h"
#include "base/units.h"
#include "engine/run_record.h"
#include "spec/spec_file.h"

namespace plimsoll {

/// In order of severity.
enum class SaturationLevel { stable, backlogged, overloaded };

/// STABLE, BACKLOGGED or OVERLOADED.
std::string_view level_name(SaturationLevel level);

struct SaturationVerdict {
  SaturationLevel level = SaturationLevel::stable;
  double score = 0;       ///< 0 to 1
  double confidence = 0;  ///< 0 to 1
  std::vector<std::pair<std::string_view, double>> signals;
};

class SaturationDetector {
 public:
  virtual ~SaturationDetector() = default;
  virtual void arrival(Time at) = 0;
  virtual void completion(Time at, Duration e2e) = 0;
  virtual SaturationVerdict verdict() const = 0;
};

struct SaturationConfig {
  double threshold_ms = 5000;  ///< mean E2E from which `threshold` says OVERLOADED
  double window_s = 60;        ///< of backlog-drift
  double final_window_s = 30;  ///< the last verdicts, the most frequent of which is final
};

struct SaturationDetectorRow {
  std::string name;
  std::string help;  ///< one line
  std::unique_ptr<SaturationDetector> (*make)(const SaturationConfig& config,
                                              const Semantics& semantics);
};

/// composite, threshold, backlog-drift: the order of all reports.
const std::vector<SaturationDetectorRow>& saturation_detectors();
std::vector<std::string> saturation_detector_names();

/// A comma list of names, or `all`; the result is in the order above, without duplicates.
Result<std::vector<std::string>> parse_detectors(std::string_view text);

struct SaturationLabel {
  std::string detector;
  SaturationLevel level = SaturationLevel::stable;
};

/// Told of every verdict, if anybody wants to know.
using VerdictSink =
    std::function<void(Time at, const std::string& detector, const SaturationVerdict& verdict)>;

/// Runs the detectors over a record; one final label each, none if nothing happened. Requests that
/// were turned away or can never be served are no events; those that gave up never complete. Of
/// `semantics` counts whether any but completed requests are seen, without which nobody can see a
/// backlog at the end, and how backlog-drift judges.
std::vector<SaturationLabel> find_saturation(const RequestTable& table,
                                             const std::vector<std::string>& detectors,
                                             const SaturationConfig& config,
                                             const Semantics& semantics,
                                             const VerdictSink& sink = {});

// The file of `--saturation-config`: settings of saturation detectors, YAML or JSON.

struct SaturationSettings {
  SaturationConfig config;
  /// Keys that are there and change no verdict, in the reference as here.
  std::vector<std::string> idle_keys;
};

/// Blocks `threshold` (threshold_ms) and `backlog_drift` (window_size_sec and keys of the reference
/// that no verdict depends on). A block of a detector that is not among `detectors` is an error.
Result<SaturationSettings> read_saturation_config(SpecFile file,
                                                  const std::vector<std::string>& detectors);

}  // namespace plimsoll
