// The notes of an engine about its own steps: SimFaaSInfer's telemetry samples
// (docs/reference/measurements.md, "Telemetry"). Read by `calibrate` and by planners.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "perf/instance_work.h"
#include "profile/physics.h"
#include "profile/profile.h"

namespace plimsoll {

/// The sum of its operators' times is the step's.
struct TelemetryStep {
  MeasuredSteps measured;
  double mfu = 0;              ///< as the engine says; 0 = not known
  double kv_bytes = 0;         ///< of all its requests
  std::int64_t kv_tokens = 0;  ///< that these requests have in the cache after it
};

struct Telemetry {
  /// In the order of the file. Samples of one batch that name the same requests at the same tokens
  /// are one step, which lasts the median of what they say.
  std::vector<TelemetryStep> steps;
  std::int64_t unusable = 0;  ///< samples without operators or without requests
};

Result<Telemetry> read_telemetry(const std::string& path);
Result<Telemetry> parse_telemetry(const std::string& text, const std::string& file);

/// Those of its steps, and: an MFU or bytes of KV cache that do not go with the batches.
std::vector<Finding> telemetry_findings(const Telemetry& telemetry, const InstanceWork& work);

}  // namespace plimsoll
