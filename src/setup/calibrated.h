// The step times that --calibration names, or that --profile measured.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "perf/calibration.h"
#include "setup/run_spec.h"

namespace plimsoll {

struct Profile;  // profile/profile.h

/// The corrections that measured steps make to the step times of their GPU.
struct FittedProfile {
  std::optional<Calibration> calibration;  ///< none: step times stay those of the catalog
  std::string gpu;
  std::string why_unused;          ///< where there is none
  std::vector<std::string> notes;  ///< on what was measured
};

/// `model`: empty for the one that the profile names; `telemetry`: a path, or empty; `engine`:
/// whose kernels are corrected, none: those of vLLM. The one rule for all verbs that use a profile;
/// calibrate says more of the same fit. Steps that were not shown to make the model better correct
/// nothing; steps that are far from what the model takes on that GPU are an error.
Result<FittedProfile> fit_profile(const Profile& profile, const std::string& telemetry,
                                  const std::string& model, std::optional<Engine> engine);

/// A clause if the TPOT or the step time of the base is 60 % or more off the measurements, else
/// empty. TTFT does not count.
std::string why_far_off(const Calibration& calibration);

/// With the model and the GPU that --profile or --calibration is of, where no flag names them.
/// `notes` gets which.
Result<RunSpec> with_what_was_measured(RunSpec run, std::vector<std::string>* notes);

/// None without the flags. Flags that would choose other step times are an error. `notes` gets
/// those on a profile.
Result<std::optional<Calibration>> calibration_of(const RunSpec& run,
                                                  std::vector<std::string>* notes);

}  // namespace plimsoll
