// The same deployment with steps that last longer, of all its pools alike: what the error of the
// step-time model means for an answer.
#pragma once

#include <memory>
#include <utility>

#include "cluster/deployment.h"
#include "perf/calibration.h"

namespace plimsoll {

/// `factor`: 1 changes nothing.
inline Deployment with_longer_steps(Deployment deployment, double factor) {
  Correction longer;
  longer.scale = factor;
  for (Pool& pool : deployment.pools) {
    pool.step_time = std::make_shared<CalibratedStepTime>(std::move(pool.step_time), longer);
  }
  return deployment;
}

}  // namespace plimsoll
