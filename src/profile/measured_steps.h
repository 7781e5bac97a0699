// Steps of an engine that somebody timed: what a profile (profile.h) and telemetry (telemetry.h)
// amount to. Checked against physics (physics.h), fitted to by calibration/.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "perf/batch_shape.h"
#include "perf/instance_work.h"
#include "perf/step_time_model.h"
#include "profile/profile.h"

namespace plimsoll {

/// One step, or several in a row in which the same requests decode.
struct MeasuredSteps {
  std::string name;  ///< "prefill 512 x 8"
  BatchShape batch;  ///< of the first step
  std::int64_t steps = 1;
  double ms = 0;  ///< of all together
};

/// One for each row of a profile.
std::vector<MeasuredSteps> steps_of(const Profile& profile);

double predicted_ms(const MeasuredSteps& measured, const StepTimeModel& model);

/// What they had to compute and read at least.
WorkDone work_of(const MeasuredSteps& measured);

}  // namespace plimsoll
