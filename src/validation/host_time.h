// Steps of measured engines that are slower than those of today: what each step takes more, and
// kernels that the host launches one by one, without CUDA graphs, in part beside what the GPU does.
// Hosts of engines as they are now are in catalog/step-overheads.yaml.
#pragma once

#include "perf/latency_models.h"
#include "perf/step_time_model.h"
#include "validation/published_settings.h"

namespace plimsoll {

struct HostTime {
  double added_us = 0;
  double launching_us = 0;

  bool any() const { return added_us > 0 || launching_us > 0; }
};

/// Of a step as the engine counts them: one that yields several tokens counts as so many.
HostTime host_of(const PublishedSettings& published, const LatencyInputs& inputs);

/// step = sqrt(step of the base^2 + launching^2) + added
StepTimePtr with_host(StepTimePtr base, const HostTime& host);

}  // namespace plimsoll
