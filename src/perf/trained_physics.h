// The trained-physics latency model: physical terms (arithmetic, KV traffic, weight loading, TP
// all-reduce, expert dispatch) and counts (layers, requests, steps), each with a fitted factor.
// Formulas: the public simulator BLIS, latency model "trained-physics".
#pragma once

#include "base/result.h"
#include "catalog/catalog.h"
#include "perf/architecture.h"
#include "perf/parallelism.h"
#include "perf/step_time_model.h"

namespace plimsoll {

/// alpha: queueing, post-decode, per output token (at least 3). beta: factors of prefill compute,
/// decode compute, weight load, TP all-reduce; us per layer, per request, per step (at least 7);
/// then us per MoE layer of interleaved models, factors of prefill KV writes, of decode KV traffic
/// and of MoE dispatch. Without the 9th (10th) the larger of compute and KV traffic counts for
/// prefill (decode); without the 11th dispatch has the all-reduce's factor. All finite, >= 0.
Result<StepTimePtr> make_trained_physics(const ModelConfig& model, const GpuSpec& gpu,
                                         const Parallelism& parallelism, ModelShapes shapes,
                                         const Coefficients& fitted);

}  // namespace plimsoll
