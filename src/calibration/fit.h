// Fits the few parameters of a correction to experiments: robust least squares over the logarithms
// of predicted / measured, with a Gaussian prior on each parameter, so that what the data cannot
// tell stays where it was. Deterministic.
//
// Gauss-Newton with differences of simulations and Huber's weights (Huber, Annals of Mathematical
// Statistics 35, 1964).
#pragma once

#include <vector>

#include "base/result.h"
#include "calibration/experiment.h"
#include "perf/calibration.h"

namespace plimsoll {

/// With fewer fitted measurements, the scale (and the client's time per request) alone are fitted.
/// Latencies of requests are a matter of luck, steps that were timed by themselves are not.
inline constexpr std::size_t kFewMeasurements = 30;
inline constexpr std::size_t kFewSteps = 5;

/// Every third block is held out. `correct_base`: else the law stands alone, which takes
/// so many at least. Fills in correction, terms and errors of the calibration.
Result<Calibration> fit(const std::vector<Experiment>& experiments, bool correct_base);

}  // namespace plimsoll
