#include "perf/kv_capacity.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "perf/architecture.h"

namespace plimsoll {
namespace {

constexpr double kGiB = 1024.0 * 1024.0 * 1024.0;
constexpr double kActivationDenseGiB = 5.5;
constexpr double kActivationMoeGiB = 8.0;
constexpr double kNonTorchGiBPerGpu = 0.15;
constexpr double kNonTorchGiBPerGpuOfGroup = 0.6;  // with communication buffers
// More blocks than any memory holds; keeps sums of blocks within 64 bits.
constexpr double kMaxBlocks = 1e15;

double as_double(std::int64_t n) { return static_cast<double>(n); }

double activation_gib(const ModelConfig& model) {
  return model.is_moe() ? kActivationMoeGiB : kActivationDenseGiB;
}

double head_width(const ModelConfig& model) {
  return model.head_dim > 0 ? as_double(model.head_dim) : as_double(model.hidden / model.heads);
}

double mlp_parameters_per_moe_layer(const ModelConfig& model) {
  const double hidden = as_double(model.hidden);
  const double experts = as_double(model.experts);
  const double expert_ffn =
      as_double(model.moe_intermediate > 0 ? model.moe_intermediate : model.intermediate);
  return 3 * hidden * expert_ffn * experts + 3 * hidden * shared_expert_width(model) +
         experts * hidden;
}

Result<bool> check_inputs(const ModelConfig& model, const GpuSpec& gpu, std::int64_t block_size,
                          double gpu_memory_utilization) {
  if (block_size < 1) return fail(ErrorKind::usage, "the KV block size must be at least 1 token");
  if (!(gpu_memory_utilization > 0 && gpu_memory_utilization <= 1)) {
    return fail(ErrorKind::usage, "the GPU memory utilisation must be above 0 and at most 1");
  }
  if (!(gpu.memory_gib > 0)) {
    return fail(ErrorKind::usage, "GPU " + gpu.name + " has no memory size",
                "give --total-kv-blocks");
  }
  const std::vector<std::string> gated{"", "silu", "swiglu", "geglu", "situ"};
  if (std::find(gated.begin(), gated.end(), model.hidden_act) == gated.end()) {
    return fail(ErrorKind::usage,
                "the weights of models with activation \"" + model.hidden_act +
                    "\" are not modelled (three-matrix MLPs only)",
                "give --total-kv-blocks");
  }
  if (model.intermediate <= 0) {
    return fail(ErrorKind::usage, "model " + model.id + " has no MLP width",
                "give --total-kv-blocks");
  }
  return true;
}

// The smallest group whose memory holds the weights and what else each instance needs.
std::string smallest_group(const ModelConfig& model, const GpuSpec& gpu, double utilization,
                           KvBudget budget) {
  const double per_gpu = gpu.memory_gib * utilization - kNonTorchGiBPerGpuOfGroup;
  const double activation = activation_gib(model);
  const double weights = weights_bytes(model) / kGiB;
  const double gpus = budget == KvBudget::per_gpu ? weights / (per_gpu - activation)
                                                  : (weights + activation) / per_gpu;
  if (!(gpus > 0)) return "no number of these GPUs would do";
  return fmt::format("needs at least {:.0f} GPUs per instance (--tp)", std::ceil(gpus));
}

}  // namespace

Result<double> kv_bytes_per_token_per_gpu(const ModelConfig& model, std::int64_t tp,
                                          KvBudget budget) {
  auto architecture = architecture_of(model);
  if (!architecture) return pass_on(architecture);
  const double layers = architecture->layers;
  if (model.kv_lora_rank > 0) {
    // Latent attention keeps one compressed vector per token, on every GPU.
    return layers * as_double(model.kv_lora_rank + model.qk_rope_head_dim) * model.compute_bytes;
  }
  const auto kv_heads = static_cast<std::int64_t>(architecture->kv_heads);
  if (kv_heads >= tp && kv_heads % tp != 0) {
    return fail(ErrorKind::usage,
                fmt::format("TP {} does not divide the {} KV heads of {}", tp, kv_heads, model.id));
  }
  if (model.head_dim == 0 && model.hidden % model.heads != 0) {
    return fail(ErrorKind::usage,
                fmt::format("the {} attention heads of {} do not divide its width {}", model.heads,
                            model.id, model.hidden));
  }
  double heads_per_gpu = architecture->kv_heads / as_double(tp);
  if (budget == KvBudget::per_gpu) heads_per_gpu = std::max(heads_per_gpu, 1.0);
  return layers * 2 * head_width(model) * heads_per_gpu * model.compute_bytes;
}

double weights_bytes(const ModelConfig& model) {
  const double hidden = as_double(model.hidden);
  const double vocab = as_double(model.vocab);
  const double layers = as_double(model.layers);
  const double kv_width =
      as_double(model.kv_heads > 0 ? model.kv_heads : model.heads) * head_width(model);

  const double embeddings = vocab * hidden * (model.tie_word_embeddings ? 1 : 2);
  const double attention = hidden * (hidden + 2 * kv_width) + hidden * hidden;
  const double norms = 2 * hidden;
  double mlp = layers * 3 * hidden * as_double(model.intermediate);
  if (model.is_moe()) {
    const double dense_layers = as_double(std::min(model.first_dense_layers, model.layers));
    const double dense_ffn = as_double(model.intermediate_size_mlp > 0 ? model.intermediate_size_mlp
                                                                       : model.intermediate);
    mlp = dense_layers * 3 * hidden * dense_ffn +
          (layers - dense_layers) * mlp_parameters_per_moe_layer(model);
  }
  const double parameters = embeddings + layers * (attention + norms) + hidden + mlp;
  return std::trunc(parameters *
                    (model.weight_bytes > 0 ? model.weight_bytes : model.compute_bytes));
}

Result<KvCapacity> kv_capacity(const ModelConfig& model, const GpuSpec& gpu,
                               const Parallelism& parallelism, std::int64_t block_size,
                               double gpu_memory_utilization, KvBudget budget) {
  auto inputs = check_inputs(model, gpu, block_size, gpu_memory_utilization);
  if (!inputs) return pass_on(inputs);
  auto layout = checked_parallelism(parallelism, model);
  if (!layout) return pass_on(layout);
  auto per_token = kv_bytes_per_token_per_gpu(model, layout->tp, budget);
  if (!per_token) return pass_on(per_token);

  const double tp = as_double(layout->tp);
  KvCapacity capacity;
  capacity.bytes_per_token_per_gpu = *per_token;
  capacity.available_gib = gpu.memory_gib * gpu_memory_utilization * tp;
  capacity.weights_gib = weights_bytes(model) / kGiB;
  const double gpus_per_block = budget == KvBudget::per_gpu ? tp : 1;
  capacity.activation_gib = activation_gib(model) * gpus_per_block;
  capacity.non_torch_gib = layout->tp == 1 ? kNonTorchGiBPerGpu : kNonTorchGiBPerGpuOfGroup * tp;

  const double overhead = capacity.weights_gib + capacity.activation_gib + capacity.non_torch_gib;
  if (overhead >= capacity.available_gib) {
    return fail(
        ErrorKind::usage,
        fmt::format("{} does not fit on {} x {}: {:.1f} GiB of weights and {:.1f} GiB of "
                    "overhead, but {:.1f} GiB usable",
                    model.id, layout->tp, gpu.name, capacity.weights_gib,
                    capacity.activation_gib + capacity.non_torch_gib, capacity.available_gib),
        smallest_group(model, gpu, gpu_memory_utilization, budget));
  }
  const double block_bytes = std::trunc(*per_token * as_double(block_size)) * gpus_per_block;
  const double free_bytes = std::trunc((capacity.available_gib - overhead) * kGiB);
  const double blocks = block_bytes > 0 ? std::floor(free_bytes / block_bytes) : 0;
  if (blocks < 1) {
    return fail(ErrorKind::usage,
                fmt::format("{} leaves no room for a single KV block on {} x {}", model.id,
                            layout->tp, gpu.name),
                smallest_group(model, gpu, gpu_memory_utilization, budget));
  }
  capacity.total_blocks = static_cast<std::int64_t>(std::min(blocks, kMaxBlocks)) * layout->dp;
  return capacity;
}

}  // namespace plimsoll
