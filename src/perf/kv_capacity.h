// How many KV blocks fit beside a model's weights and what else vLLM finds in use when it profiles
// its memory at start-up. CUDA graphs are captured after that, in the share of the memory that
// gpu_memory_utilization leaves. Formulas and constants: the public simulator BLIS (its KV capacity
// calculation); activations: perf/loaded_weights.h; sizes of models whose layers differ in kind:
// docs/reference/catalog.md.
//
// The settings that a build of vLLM decides about its memory beside the model, the GPU and the
// flags: versions and the packages installed with it differ, and a start-up log says which it is.
#pragma once

#include <cstdint>

#include "base/result.h"
#include "catalog/gpu.h"
#include "catalog/model.h"
#include "perf/architecture.h"
#include "perf/model_size.h"
#include "perf/parallelism.h"
#include "perf/speculation.h"

namespace plimsoll {

/// How the start-up profile samples. PyTorch's own sampler sorts all logits: vLLM until about 0.16
/// where FlashInfer is not installed or not used. FlashInfer and the kernels of later versions do
/// without. Bytes per logit: perf/loaded_weights.h.
enum class LogitSampler { sorts, light };

/// Kernels of MXFP4 experts, which pad them differently (perf/loaded_weights.h). `native`: those of
/// the GPU's architecture where it has any, which is Triton's on Hopper; they come with a package
/// that not every build has. `marlin`: the others.
enum class Mxfp4Kernels { native, marlin };

struct EngineBuild {
  LogitSampler sampler = LogitSampler::sorts;
  Mxfp4Kernels mxfp4 = Mxfp4Kernels::native;
};

/// How KV blocks are paid for. `per_gpu`: every GPU holds its share of each block and its own
/// activations, and a GPU keeps one KV head when there are fewer heads than GPUs. `summed`: as in
/// the reference, the memory of the whole TP group is divided by the block bytes of one GPU and
/// activations count once, so that capacity grows with about the square of TP.
enum class KvBudget { per_gpu, summed };

/// `profiled`: as the limits of a step ask for. `flat`: the reference's constants, one for dense
/// models and one for those with experts.
enum class ActivationPeak { profiled, flat };

struct KvSettings {
  std::int64_t block_size = 16;         ///< tokens
  double gpu_memory_utilization = 0.9;  ///< in (0, 1]
  // Limits of one data-parallel rank.
  std::int64_t max_num_seqs = 256;             ///< requests at a time
  std::int64_t max_num_batched_tokens = 2048;  ///< in a step
  /// The least tokens of a request; says how many of them share the cache of a model whose layers
  /// keep windows or states. As many as a request of this program has where nothing is said.
  std::int64_t tokens_per_request = 1024;
  KvBudget budget = KvBudget::per_gpu;
  ActivationPeak activations = ActivationPeak::profiled;
  ModelShapes shapes = ModelShapes::exact;
  EngineBuild build;
  /// Layers with a window keep every token, as others do (without_hybrid_cache() in model_size.h);
  /// with exact shapes.
  bool no_hybrid_cache = false;
  const Speculation* speculation = nullptr;  ///< takes room for its draft; with exact shapes
};

/// The memory of one instance, in GiB over all its GPUs, and what it leaves for the KV cache.
struct KvCapacity {
  std::int64_t total_blocks = 0;
  double bytes_per_token_per_gpu = 0;  ///< without those of layers that have a window
  double available_gib = 0;            ///< memory x utilisation x TP
  double weights_gib = 0;              ///< of a draft model, too
  double activation_gib = 0;
  double non_torch_gib = 0;  ///< CUDA context and communication buffers
};

/// The memory that is spent and that there is, without blocks: more may be spent than there is.
Result<KvCapacity> instance_memory(const ModelConfig& model, const GpuSpec& gpu,
                                   const Parallelism& parallelism, const KvSettings& settings);

/// Models that do not fit end in an error that names the smallest number of GPUs that would do.
/// With exact shapes, blocks are counted so that all layers have room when requests of at least
/// tokens_per_request share them, max_num_seqs at most (model_size.h).
Result<KvCapacity> kv_capacity(const ModelConfig& model, const GpuSpec& gpu,
                               const Parallelism& parallelism, const KvSettings& settings);

/// What one GPU keeps of a request for whoever answers it: with vLLM's hybrid KV cache the last
/// tokens of layers with a window and the states, else every token in all layers. With pipeline
/// stages of exact shapes it has its share of the layers.
Result<KvLayers> kv_to_transfer(const ModelConfig& model, const Parallelism& layout,
                                KvBudget budget, ModelShapes shapes, bool has_hybrid_cache);

/// KV bytes that one token takes on one GPU of the TP group, for as long as all layers keep it.
Result<double> kv_bytes_per_token_per_gpu(const ModelConfig& model, std::int64_t tp,
                                          KvBudget budget, ModelShapes shapes);

}  // namespace plimsoll
