// The file of `--saturation-config`: settings of saturation detectors, YAML or JSON.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "metrics/saturation.h"

namespace plimsoll {

struct SaturationSettings {
  SaturationConfig config;
  /// Keys that are there and change no verdict, in the reference as here.
  std::vector<std::string> idle_keys;
};

/// Blocks `threshold` (threshold_ms) and `backlog_drift` (window_size_sec and keys of the reference
/// that no verdict depends on). A block of a detector that is not among `detectors` is an error.
Result<SaturationSettings> read_saturation_config(const std::string& path,
                                                  const std::vector<std::string>& detectors);
Result<SaturationSettings> parse_saturation_config(const std::string& text, const std::string& file,
                                                   const std::vector<std::string>& detectors);

}  // namespace plimsoll
