#include "metrics/saturation_config.h"

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>

#include "spec/spec_file.h"

namespace plimsoll {
namespace {

bool chosen(const std::vector<std::string>& detectors, std::string_view name) {
  return std::ranges::find(detectors, name) != detectors.end();
}

// The settings of a detector, if they are there and it is among those that run.
std::optional<SpecMap> block_of(SpecMap top, std::string_view key, std::string_view detector,
                                const std::vector<std::string>& detectors) {
  std::optional<SpecMap> block = top.optional_map(key);
  if (block && !chosen(detectors, detector)) {
    top.error(key, "--detectors does not choose " + std::string(detector),
              "leave this block out, or add the detector");
  }
  return block;
}

void read_backlog_drift(SpecMap block, SaturationSettings* settings) {
  constexpr NumberRange kShare{0, 1, true};
  if (const auto seconds = block.optional_number("window_size_sec", kWaitS)) {
    settings->config.window_s = *seconds;
    settings->config.final_window_s = *seconds;
  }
  const auto idle = [&](std::string_view key, bool present) {
    if (present) settings->idle_keys.push_back("backlog_drift." + std::string(key));
  };
  idle("min_windows", block.optional_integer("min_windows", {1}).has_value());
  idle("peak_ratio", block.optional_number("peak_ratio", kPositive).has_value());
  idle("peak_ratio_band", block.optional_number("peak_ratio_band", kNonNegative).has_value());
  const auto confidence = block.optional_number("confidence_ci", kShare);
  if (confidence && *confidence >= 1) block.error("confidence_ci", "must be below 1");
  idle("confidence_ci", confidence.has_value());
  idle("warmup_windows", block.optional_integer("warmup_windows", {0}).has_value());
  idle("tail_windows", block.optional_integer("tail_windows", {0}).has_value());
  const auto saturated = block.optional_number("saturated_drain_ratio", kShare);
  const auto transient = block.optional_number("transient_drain_ratio", kShare);
  idle("saturated_drain_ratio", saturated.has_value());
  idle("transient_drain_ratio", transient.has_value());
  constexpr double kSaturatedDrain = 0.95;  // the reference's defaults
  constexpr double kTransientDrain = 0.98;
  if (saturated.value_or(kSaturatedDrain) > transient.value_or(kTransientDrain)) {
    block.error(saturated ? "saturated_drain_ratio" : "transient_drain_ratio",
                "saturated_drain_ratio must be at most transient_drain_ratio");
  }
}

Result<SaturationSettings> read(SpecFile file, const std::vector<std::string>& detectors) {
  SpecMap top = file.top();
  SaturationSettings settings;
  if (auto block = block_of(top, "threshold", "threshold", detectors)) {
    settings.config.threshold_ms =
        block->optional_number("threshold_ms", kPositive).value_or(settings.config.threshold_ms);
  }
  if (auto block = block_of(top, "backlog_drift", "backlog-drift", detectors)) {
    read_backlog_drift(*block, &settings);
  }
  return file.finish(std::move(settings));
}

}  // namespace

Result<SaturationSettings> parse_saturation_config(const std::string& text, const std::string& file,
                                                   const std::vector<std::string>& detectors) {
  TRY(parsed, SpecFile::parse(text, file));
  return read(std::move(parsed), detectors);
}

Result<SaturationSettings> read_saturation_config(const std::string& path,
                                                  const std::vector<std::string>& detectors) {
  TRY(parsed, SpecFile::read(path));
  return read(std::move(parsed), detectors);
}

}  // namespace plimsoll
