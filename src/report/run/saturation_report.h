// The file of `--saturation-report`: every verdict of the saturation detectors, and the final ones.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/replacement_file.h"
#include "base/result.h"
#include "metrics/saturation.h"

namespace plimsoll {

/// {"trace": [{"timestamp": us, "detector", "result": {"level", "score", "confidence", "signals"}},
/// ...], "final": {detector: level}}. Written as the verdicts come, so it needs no memory.
class SaturationReport {
 public:
  explicit SaturationReport(const std::string& path);
  void add(Time at, const std::string& detector, const SaturationVerdict& verdict);
  Result<void> finish(const std::vector<SaturationLabel>& labels);

 private:
  ReplacementFile file_;
  std::string_view between_ = "\n";
};

}  // namespace plimsoll
