// What `calibrate` is given: measurements, and of which deployment they are.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "calibration/experiment.h"
#include "cli/options.h"
#include "perf/calibration.h"
#include "perf/parallelism.h"
#include "validation/case.h"

namespace plimsoll {

struct Profile;  // profile/profile.h

struct Measured {
  std::vector<Experiment> experiments;
  std::vector<std::unique_ptr<Case>> cases;  ///< that the experiments look at
  std::vector<std::string> notes;            ///< on what gives none
  std::vector<std::string> remarks;          ///< on what was measured
  std::string first;                         ///< case whose deployment it is
  std::string model;
  std::string gpu;
  Parallelism layout;
};

/// Whether --profile or --telemetry was given.
bool has_steps(const Options& options);

/// The steps of both. A profile names its model and GPU itself, flags come before it; one that
/// breaks physics is an error.
Result<Measured> measured_steps(const Options& options);
/// Where the profile was read already; null: none.
Result<Measured> measured_steps(const Options& options, const Profile* profile);

/// What they say of the latency model that the options choose, or of none with --no-base.
Result<Calibration> fitted_to(const Measured& measured, const Options& options);

}  // namespace plimsoll
