// The blackbox latency model: a step is linear in the tokens it processes. Formula and rows: the
// public simulator BLIS, latency model "blackbox".
#pragma once

#include <memory>

#include "base/result.h"
#include "catalog/catalog.h"
#include "perf/step_time_model.h"

namespace plimsoll {

/// step = beta0 + beta1 * prefill tokens + beta2 * decode tokens;
/// queueing = alpha0 + alpha1 * input tokens; each output token: alpha2. All in us, finite, >= 0.
/// More values than three are an error: they belong to another model.
Result<std::shared_ptr<const StepTimeModel>> make_blackbox(const Coefficients& fitted);

}  // namespace plimsoll
