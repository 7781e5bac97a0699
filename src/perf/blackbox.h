// The blackbox latency model: a step is linear in the tokens it processes. Formula and rows: the
// public simulator BLIS, latency model "blackbox".
//
// Checks of fitted coefficients, whether they come from the catalog or from a user.
#pragma once

#include <cstddef>

#include "base/result.h"
#include "catalog/catalog.h"
#include "perf/step_time_model.h"

namespace plimsoll {

/// The same coefficients, or an error when there are too few, or one is negative or not finite.
Result<Coefficients> checked_coefficients(const Coefficients& coefficients, std::size_t min_alpha,
                                          std::size_t min_beta, const char* model_name);

/// step = beta0 + beta1 * prefill tokens + beta2 * decode tokens;
/// queueing = alpha0 + alpha1 * input tokens; each output token: alpha2. All in us, finite, >= 0.
/// More values than three are an error: they belong to another model.
Result<StepTimePtr> make_blackbox(const Coefficients& fitted);

}  // namespace plimsoll
