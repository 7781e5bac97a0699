// How long one engine step takes, and the fixed costs around a request. Implementations are
// immutable after construction and safe to use from many threads.
#pragma once

#include <cstdint>
#include <span>

#include "perf/batch_shape.h"

namespace plimsoll {

/// All results are microseconds in floating point; the engine turns them into time with
/// duration_from_us (truncation to whole microseconds) and holds a step at 1 us at least.
class StepTimeModel {
 public:
  virtual ~StepTimeModel() = default;

  /// Duration of a step with this batch. Called about once per step; an empty shape is possible (a
  /// batch whose requests were all granted no token).
  virtual double step_us(const BatchShape& batch) const = 0;

  /// Durations of us.size() steps in a row in which the same `requests` decode: the first with this
  /// sum of context, each later one with `requests` tokens more. The same numbers as step_us(), to
  /// the last bit; overridden where computing many at a time is faster.
  virtual void decode_steps_us(std::int64_t requests, std::int64_t context,
                               std::span<double> us) const {
    BatchShape batch;
    batch.decode_requests = requests;
    batch.decode_context = context;
    for (double& step : us) {
      step = step_us(batch);
      batch.decode_context += requests;
    }
  }

  /// From arrival at the instance to the wait queue; delays the request, occupies nothing.
  virtual double queueing_us(std::int64_t input_tokens) const = 0;

  /// Added to the first token's and to each later token's latency, not to the step.
  virtual double output_token_us() const = 0;

  /// Added once to the E2E latency of a request with at least one output token.
  virtual double post_decode_us() const = 0;
};

}  // namespace plimsoll
