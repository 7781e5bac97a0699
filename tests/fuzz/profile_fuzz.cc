// Can any profile or telemetry do harm, and is what is read of one ever without its time?
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "profile/telemetry.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  plimsoll::Profile profile;
  if (plimsoll::parse_fitted_profile(text, "fitted_profile.json", &profile)) {
    for (const plimsoll::MeasuredSteps& step : plimsoll::steps_of(profile)) {
      if (!(step.ms > 0) || plimsoll::work_of(step).tokens <= 0) std::abort();
    }
  }
  (void)plimsoll::parse_profile_metadata(text, "metadata.json", &profile);
  (void)plimsoll::parse_model_memory(text, "model_memory.json", &profile);
  const auto telemetry = plimsoll::parse_telemetry(text, "telemetry.json");
  if (!telemetry) return 0;
  for (const plimsoll::TelemetryStep& step : telemetry->steps) {
    if (!(step.measured.ms > 0) || step.measured.batch.requests() <= 0) std::abort();
  }
  return 0;
}
