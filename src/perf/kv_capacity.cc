#include "perf/kv_capacity.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "base/numbers.h"
#include "perf/activations.h"
#include "perf/architecture.h"
#include "perf/kv_layers.h"
#include "perf/model_size.h"

namespace plimsoll {
namespace {

constexpr double kGiB = 1024.0 * 1024.0 * 1024.0;
constexpr double kActivationDenseGiB = 5.5;
constexpr double kActivationMoeGiB = 8.0;
constexpr double kNonTorchGiBPerGpu = 0.15;
constexpr double kNonTorchGiBPerGpuOfGroup = 0.6;  // with communication buffers
// More blocks than any memory holds; keeps sums of blocks within 64 bits.
constexpr double kMaxBlocks = 1e15;
constexpr std::int64_t kMostGpus = 4096;

// On each GPU, or where the memory of a group is summed, of the group.
double activation_gib(const ModelConfig& model, const Parallelism& parallelism,
                      const KvSettings& settings) {
  if (settings.activations == ActivationPeak::flat) {
    return model.is_moe() ? kActivationMoeGiB : kActivationDenseGiB;
  }
  return activation_bytes(model, parallelism, settings.max_num_batched_tokens,
                          settings.max_num_seqs) /
         kGiB;
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

Result<void> check_inputs(const ModelConfig& model, const GpuSpec& gpu,
                          const KvSettings& settings) {
  if (settings.block_size < 1) {
    return fail(ErrorKind::usage, "the KV block size must be at least 1 token");
  }
  if (!(settings.gpu_memory_utilization > 0 && settings.gpu_memory_utilization <= 1)) {
    return fail(ErrorKind::usage, "the GPU memory utilisation must be above 0 and at most 1");
  }
  if (!(gpu.memory_gib > 0)) {
    return fail(ErrorKind::usage, "GPU " + gpu.name + " has no memory size",
                "give --total-kv-blocks");
  }
  if (settings.shapes == ModelShapes::exact) return {};
  const std::vector<std::string> gated{"", "silu", "swiglu", "geglu", "situ"};
  if (std::find(gated.begin(), gated.end(), model.hidden_act) == gated.end()) {
    return fail(ErrorKind::usage,
                "the reference simulator does not model the weights of models with activation \"" +
                    model.hidden_act + "\" (three-matrix MLPs only)",
                "leave out --semantics blis, or give --total-kv-blocks");
  }
  if (model.intermediate <= 0) {
    return fail(ErrorKind::usage, "model " + model.id + " has no MLP width",
                "give --total-kv-blocks");
  }
  return {};
}

double reference_weights_bytes(const ModelConfig& model) {
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

Result<double> reference_kv_bytes(const ModelConfig& model, std::int64_t tp, KvBudget budget) {
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

Result<double> exact_kv_bytes(const ModelConfig& model, std::int64_t tp) {
  for (const LayerGroup& group : model.layers_by_kind) {
    const Attention& attention = group.layer.attention;
    const std::int64_t kv_heads = attention.kv_heads;
    if (attention.kind == AttentionKind::standard && kv_heads >= tp && kv_heads % tp != 0) {
      return fail(ErrorKind::usage, fmt::format("TP {} does not divide the {} KV heads of {}", tp,
                                                kv_heads, model.id));
    }
  }
  return kv_layers_of(model, tp).bytes_of_new_token();
}

// The smallest group that the heads allow and whose memory holds the weights and what else each
// instance needs.
std::string smallest_group(const ModelConfig& model, const GpuSpec& gpu,
                           const KvSettings& settings) {
  const double per_gpu =
      gpu.memory_gib * settings.gpu_memory_utilization - kNonTorchGiBPerGpuOfGroup;
  const double weights = weights_bytes(model, settings.shapes) / kGiB;
  Parallelism group;
  // The reference counts memory alone.
  const bool looks_at_heads = settings.shapes == ModelShapes::exact;
  for (group.tp = 1; group.tp <= kMostGpus; ++group.tp) {
    if (looks_at_heads && !divides_heads(model, group.tp, settings.shapes)) continue;
    const double gpus = as_double(group.tp);
    const double activation = activation_gib(model, group, settings);
    const double all = settings.budget == KvBudget::per_gpu ? activation * gpus : activation;
    if (weights + all <= per_gpu * gpus) {
      return fmt::format("needs at least {} GPUs per instance (--tp)", group.tp);
    }
  }
  if (!looks_at_heads) return "no number of these GPUs would do";
  return "no number of these GPUs that divides its heads would do; --max-num-batched-tokens and "
         "--max-num-seqs set what activations take";
}

const ModelConfig* draft_of(const KvSettings& settings) {
  return settings.speculation != nullptr && settings.speculation->draft
             ? &*settings.speculation->draft
             : nullptr;
}

// Slots for the tokens that a step proposes, of all requests.
double slots_for_proposals(const KvSettings& settings) {
  if (settings.speculation == nullptr) return 0;
  return std::ceil(as_double(settings.max_num_seqs * settings.speculation->tokens) /
                   as_double(settings.block_size));
}

// Bytes that a block takes, of the memory that pays for it.
double block_bytes(double bytes_per_token, double tp, const KvSettings& settings) {
  const double bytes = std::trunc(bytes_per_token * as_double(settings.block_size));
  return bytes * (settings.budget == KvBudget::per_gpu ? tp : 1);
}

// Data-parallel ranks share the routed experts; each has a copy of the rest.
double rank_weights_bytes(const ModelConfig& model, std::int64_t ranks,
                          const KvSettings& settings) {
  double all = weights_bytes(model, settings.shapes);
  if (settings.shapes == ModelShapes::reference) return all;
  if (const ModelConfig* draft = draft_of(settings)) all += stored_weight_bytes(*draft);
  return all - stored_expert_bytes(model) * (1 - 1 / as_double(ranks));
}

// Blocks in `free_bytes` over all GPUs of the group once the states of all requests have their
// place.
Result<double> exact_blocks(const ModelConfig& model, std::int64_t tp, double free_bytes,
                            const KvSettings& settings, KvCapacity* capacity) {
  KvLayers kv = kv_layers_of(model, tp);
  if (const ModelConfig* draft = draft_of(settings)) kv.add(kv_layers_of(*draft, tp));
  const double gpus = settings.budget == KvBudget::per_gpu ? as_double(tp) : 1;
  const double requests = as_double(settings.max_num_seqs);
  const double state_bytes = kv.bytes_per_request * gpus;
  capacity->bytes_per_token_per_gpu = kv.bytes_per_token;
  capacity->state_gib = state_bytes * requests / kGiB;
  const double kv_bytes = free_bytes - state_bytes * requests;
  if (kv_bytes <= 0) {
    return fail(
        ErrorKind::usage,
        fmt::format("the states of {} requests of {} take {:.1f} GiB, but {:.1f} GiB are "
                    "left beside the weights",
                    settings.max_num_seqs, model.id, capacity->state_gib, free_bytes / kGiB),
        fmt::format("set --max-num-seqs below {:.0f}, or use more GPUs (--tp)",
                    std::ceil(free_bytes / state_bytes)));
  }
  if (kv.windowed.empty() && kv.bytes_per_token > 0) {
    return std::floor(kv_bytes / block_bytes(kv.bytes_per_token, as_double(tp), settings));
  }
  // Where no layer keeps all tokens, room for the longest requests is all that can be used.
  const double longest = as_double(std::max<std::int64_t>(model.max_position_embeddings, 1));
  const double tokens = std::min(tokens_that_fit(kv, kv_bytes / gpus, requests),
                                 kv.bytes_per_token > 0 ? kMaxBlocks : requests * longest);
  return std::floor(tokens / as_double(settings.block_size));
}

}  // namespace

Result<double> kv_bytes_per_token_per_gpu(const ModelConfig& model, std::int64_t tp,
                                          KvBudget budget, ModelShapes shapes) {
  return shapes == ModelShapes::exact ? exact_kv_bytes(model, tp)
                                      : reference_kv_bytes(model, tp, budget);
}

double weights_bytes(const ModelConfig& model, ModelShapes shapes) {
  return shapes == ModelShapes::exact ? stored_weight_bytes(model) : reference_weights_bytes(model);
}

Result<KvCapacity> kv_capacity(const ModelConfig& model, const GpuSpec& gpu,
                               const Parallelism& parallelism, const KvSettings& settings) {
  auto inputs = check_inputs(model, gpu, settings);
  if (!inputs) return pass_on(inputs);
  auto usable_model = checked_model(model);
  if (!usable_model) return pass_on(usable_model);
  auto layout = checked_parallelism(parallelism, model);
  if (!layout) return pass_on(layout);
  auto per_token = kv_bytes_per_token_per_gpu(model, layout->tp, settings.budget, settings.shapes);
  if (!per_token) return pass_on(per_token);

  // Of one data-parallel rank; all are alike.
  const double tp = as_double(layout->tp);
  const double gpus = tp * as_double(layout->pp);
  const bool per_gpu = settings.budget == KvBudget::per_gpu;
  KvCapacity capacity;
  capacity.bytes_per_token_per_gpu = *per_token;
  capacity.available_gib = gpu.memory_gib * settings.gpu_memory_utilization * gpus;
  capacity.weights_gib = rank_weights_bytes(model, layout->dp, settings) / kGiB;
  capacity.activation_gib = activation_gib(model, *layout, settings) * (per_gpu ? gpus : 1);
  capacity.non_torch_gib = gpus == 1 ? kNonTorchGiBPerGpu : kNonTorchGiBPerGpuOfGroup * gpus;

  const double overhead = capacity.weights_gib + capacity.activation_gib + capacity.non_torch_gib;
  if (overhead >= capacity.available_gib) {
    return fail(
        ErrorKind::usage,
        fmt::format("{} does not fit on {:.0f} x {}: {:.1f} GiB of weights and {:.1f} GiB of "
                    "overhead, but {:.1f} GiB usable",
                    model.id, gpus, gpu.name, capacity.weights_gib,
                    capacity.activation_gib + capacity.non_torch_gib, capacity.available_gib),
        smallest_group(model, gpu, settings));
  }
  const double free_bytes = std::trunc((capacity.available_gib - overhead) * kGiB);
  auto blocks = settings.shapes == ModelShapes::exact
                    ? exact_blocks(model, layout->tp, free_bytes, settings, &capacity)
                    : std::floor(free_bytes / block_bytes(*per_token, tp, settings));
  if (!blocks) return pass_on(blocks);
  *blocks -= slots_for_proposals(settings);
  if (!(*blocks >= 1)) {
    return fail(ErrorKind::usage,
                fmt::format("{} leaves no room for a single KV block on {} x {}", model.id,
                            layout->tp, gpu.name),
                smallest_group(model, gpu, settings));
  }
  capacity.total_blocks = static_cast<std::int64_t>(std::min(*blocks, kMaxBlocks)) * layout->dp;
  return capacity;
}

}  // namespace plimsoll
