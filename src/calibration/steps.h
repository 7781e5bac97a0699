// Steps that were timed one by one as an experiment: nothing is simulated, each is priced by the
// model and compared.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "calibration/experiment.h"
#include "profile/measured_steps.h"

namespace plimsoll {

/// There must be at least one. Every third, in the order given, is held out.
Experiment experiment_of(std::vector<MeasuredSteps> steps,
                         std::shared_ptr<const StepTimeModel> base, std::string source);

}  // namespace plimsoll
