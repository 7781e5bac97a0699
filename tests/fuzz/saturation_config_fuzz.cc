// Can any file given to --saturation-config, or any text given to a metric flag, do harm?
#include <cstddef>
#include <cstdint>
#include <string>

#include "metrics/fitness.h"
#include "metrics/goodput.h"
#include "metrics/saturation.h"
#include "metrics/warmup.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace plimsoll;
  const std::string text(reinterpret_cast<const char*>(data), size);
  auto file = SpecFile::parse(text, "fuzz.yaml");
  if (!file) return 0;
  const auto settings = read_saturation_config(*std::move(file), saturation_detector_names());
  if (settings && !(settings->config.threshold_ms > 0 && settings->config.window_s > 0)) {
    __builtin_trap();
  }
  GoodputTargets targets;
  (void)parse_slo_limits("--slo-ttft", text, &SloLimits::ttft, &targets);
  (void)parse_fitness_weights(text);
  (void)parse_fitness_references(text);
  (void)parse_detectors(text);
  (void)parse_warmup(text);
  return 0;
}
