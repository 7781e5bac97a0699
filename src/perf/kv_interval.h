// How far the KV blocks of a deployment may be from what a real engine finds at start-up. Builds of
// vLLM differ by more than the model is off: the interval goes from the build that takes most
// memory to the one that takes least (engine_build.h), and by what the model was off at start-up
// logs (docs/explanation/accuracy-kv-memory.md) on either side of them.
#pragma once

#include <cstdint>
#include <optional>

#include "catalog/gpu.h"
#include "catalog/model.h"
#include "perf/kv_capacity.h"
#include "perf/parallelism.h"

namespace plimsoll {

struct KvInterval {
  std::int64_t low = 0;  ///< blocks; 0: a build may refuse to start
  std::int64_t high = 0;

  bool operator==(const KvInterval&) const = default;
};

/// Around the blocks of `capacity`, which kv_capacity() gave for the same arguments. Wider for GPUs
/// and formats of weights of which no log is known. None with the reference's shapes.
std::optional<KvInterval> kv_interval(const ModelConfig& model, const GpuSpec& gpu,
                                      const Parallelism& parallelism, const KvSettings& settings,
                                      const KvCapacity& capacity);

/// Whether there is a start-up log of an engine on this GPU, by its name in the catalog.
bool has_memory_log(const GpuSpec& gpu);

}  // namespace plimsoll
