// A case simulated three times: as predicted, and with steps as short and as long as the model's
// error and the case's doubts allow. What a measured figure is compared with.
#pragma once

#include <cmath>
#include <string>

#include "cluster/longer_steps.h"
#include "perf/model_error.h"
#include "random/portable_math.h"
#include "validation/case_simulation.h"
#include "validation/doubts.h"
#include "validation/validate.h"

namespace plimsoll {

struct Predictions {
  CaseFigures central;
  CaseFigures fast;  ///< empty, as `slow`: no intervals are asked for
  CaseFigures slow;
  ModelError error;
  Doubts doubts;

  double fastest() const { return 1 / portable_exp(std::hypot(error.step, doubts.faster)); }
  double slowest() const { return portable_exp(std::hypot(error.step, doubts.slower)); }
};

/// `run` gives the figures of a setup.
template <class Run>
Predictions predict(const CaseSetup& setup, const Doubts& doubts, bool intervals, const Run& run) {
  Predictions out{run(setup), {}, {}, setup.error, doubts};
  if (!intervals) return out;
  const auto with_steps = [&](double factor) {
    CaseSetup scaled = setup;
    scaled.deployment = with_longer_steps(setup.deployment, factor);
    return run(scaled);
  };
  out.fast = with_steps(out.fastest());
  out.slow = with_steps(out.slowest());
  return out;
}

/// "stages[1].ttft_ms.mean" -> "ttft_ms.mean"
std::string metric_of(const std::string& path);

/// Sets what was measured under `path` beside its prediction and 90 % interval.
ScoredFigure compare(const std::string& path, double measured, const Predictions& predictions);

}  // namespace plimsoll
