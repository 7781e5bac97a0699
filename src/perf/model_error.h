// How far a prediction of the kernel model may be off, before it has been compared with anything:
// by what is known of the model, its weights and the GPU. Errors are about log-normal, so a 90 %
// band is predicted * exp(+-z). docs/explanation/latency-models.md says how they were chosen.
#pragma once

#include <string_view>

#include "catalog/gpu.h"
#include "catalog/model.h"
#include "perf/parallelism.h"

namespace plimsoll {

/// `measured`: 16-bit dense model on a GPU whose kernels were measured. `formats`: experts or
/// narrow weights there. `transferred`: kernels of the nearest architecture. `unknown`: of none.
/// `calibrated`: no kernels, but a law fitted to measurements of the deployment itself.
enum class Regime { measured, formats, transferred, unknown, calibrated };

std::string_view name_of(Regime regime);

/// Half widths z of 90 % bands.
struct ModelError {
  Regime regime = Regime::measured;
  double step = 0;       ///< of the duration of steps: TPOT, E2E
  double ttft = 0;       ///< of a TTFT without queueing
  double ttft_tail = 0;  ///< of its p99
};

/// Before anything is known of the deployment.
ModelError usual_error(Regime regime);

ModelError model_error(const ModelConfig& model, const GpuSpec& gpu, const Parallelism& layout);

}  // namespace plimsoll
