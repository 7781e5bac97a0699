// The roofline latency model of the reference: a step takes as long as its arithmetic at a fixed
// fraction of the GPU's peak rate, or as long as its memory traffic at full bandwidth, whichever is
// longer. No communication, no fixed overhead. Formulas: the public simulator BLIS, latency model
// "roofline" (two MLP matrices, one crossover for the whole step), which fits no constants.
#pragma once

#include "base/result.h"
#include "catalog/gpu.h"
#include "catalog/model.h"
#include "perf/parallelism.h"
#include "perf/step_time_model.h"

namespace plimsoll {

Result<StepTimePtr> make_roofline(const ModelConfig& model, const GpuSpec& gpu,
                                  const Parallelism& parallelism);

/// The roofline latency model for the layers of a model as they are (catalog/layers.h): a step
/// takes as long as its arithmetic at a fixed fraction of the GPU's peak rate, or as long as its
/// memory traffic at full bandwidth, whichever is longer. No communication, no fixed overhead, no
/// constant fitted. The roofline is that of Williams, Waterman, Patterson (CACM 52:4, 2009).
Result<StepTimePtr> make_shaped_roofline(const ModelConfig& model, const GpuSpec& gpu,
                                         const Parallelism& parallelism);

}  // namespace plimsoll
