// The measurements that a calibration is fitted to, and the deployment that they are of.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "calibration/experiment.h"
#include "perf/calibration.h"
#include "perf/parallelism.h"
#include "setup/question_specs.h"
#include "setup/run_spec.h"
#include "validation/case.h"

namespace plimsoll {

struct Profile;  // profile/profile.h

struct Measured {
  std::vector<Experiment> experiments;
  std::vector<std::unique_ptr<Case>> cases;  ///< that the experiments look at
  std::vector<std::string> setup_notes;      ///< on the deployment, for stderr
  std::vector<std::string> notes;            ///< on what gives none
  std::vector<std::string> remarks;          ///< on what was measured
  std::string first;                         ///< case whose deployment it is
  std::string model;
  std::string gpu;
  Parallelism layout;
};

/// Whether --profile or --telemetry was given.
bool has_steps(const RunSpec& run);

/// The steps of both; telemetry may be the counters of a running engine instead
/// (forecast/history/latency_windows.h), of which the run says the rest. A profile names its model
/// and GPU itself, flags come before it; one that breaks physics is an error.
Result<Measured> measured_steps(const RunSpec& run);
/// Where the profile was read already; null: none.
Result<Measured> measured_steps(const RunSpec& run, const Profile* profile);

/// Returns what they say of the latency model that the run chooses, or of none with --no-base.
Result<Calibration> fitted_to(const Measured& measured, const CalibrationSpec& how,
                              const RunSpec& run);

}  // namespace plimsoll
