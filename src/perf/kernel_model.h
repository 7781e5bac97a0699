// The kernel latency model, the default: a step is the sum of its operators (perf/operators/), each
// priced from the model's exact shapes, the GPU's data sheet and efficiencies measured per
// operator, plus the small kernels between them, the sampler and, once per request, its client's
// overhead. docs/explanation/latency-models.md explains it and says how well it predicts.
#pragma once

#include "base/result.h"
#include "catalog/model.h"
#include "perf/parallelism.h"
#include "perf/step_time_model.h"

namespace plimsoll {

struct Device;  // perf/operators/device.h

/// Who measures latencies: the client adds HTTP, tokeniser and stream to each request.
enum class Observer { client, engine };

Result<StepTimePtr> make_kernel_model(const ModelConfig& model, const Device& device,
                                      const Parallelism& parallelism, Sampling sampling,
                                      Observer observer);

}  // namespace plimsoll
