// How far a prediction of the kernel model may be off, before it has been compared with anything:
// by what is known of the model, its weights and the GPU. Errors are about log-normal, so a 90 %
// band is predicted * exp(+-z). docs/explanation/latency-models.md says how they were chosen.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "catalog/gpu.h"
#include "catalog/kernels.h"
#include "catalog/model.h"
#include "perf/kv_capacity.h"
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
  /// Measured runs of such deployments took up to so many times as long per token as predicted, and
  /// nobody knows why; 0: no such runs.
  double slower_runs = 0;

  /// Nothing measured supports the step times: a plan rests on no such deployment where another
  /// does.
  bool is_guess() const { return regime == Regime::unknown || slower_runs > 0; }
};

/// Before anything is known of the deployment.
ModelError usual_error(Regime regime);

/// Under the engine that runs it. `is_split`: other instances prefill.
ModelError model_error(const ModelConfig& model, const GpuSpec& gpu, const Parallelism& layout,
                       Engine engine = Engine::vllm, bool is_split = false);

/// Of any of its layers.
bool has_latent_attention(const ModelConfig& model);

// How far the KV blocks of a deployment may be from what a real engine finds at start-up. Builds of
// vLLM differ by more than the model is off: the interval goes from the build that takes most
// memory to the one that takes least (kv_capacity.h), and by what the model was off at start-up
// logs (docs/explanation/accuracy-kv-memory.md) on either side of them.

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
