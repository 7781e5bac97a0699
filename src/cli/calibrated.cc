#include "cli/calibrated.h"

namespace plimsoll {

Result<std::optional<Calibration>> calibration_of(const Options& options) {
  if (options.fitted) return *options.fitted;
  if (options.calibration.empty()) return std::nullopt;
  auto calibration = read_calibration(options.calibration);
  if (!calibration) return pass_on(calibration);
  if (options.latency_model && *options.latency_model != calibration->base) {
    return fail(ErrorKind::usage,
                "--latency-model " + *options.latency_model + " does not go with " +
                    options.calibration + ", which corrects " + calibration->base,
                "leave out --latency-model: the calibration names its own");
  }
  if (options.is_given("--alpha-coeffs") || options.is_given("--beta-coeffs")) {
    return fail(ErrorKind::usage, "--calibration and --alpha-coeffs exclude each other",
                "a calibration corrects a latency model as the catalog has it");
  }
  return std::optional<Calibration>(std::move(*calibration));
}

}  // namespace plimsoll
