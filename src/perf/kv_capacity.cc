#include "perf/kv_capacity.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "base/lists.h"
#include "base/numbers.h"
#include "perf/loaded_weights.h"
#include "perf/model_size.h"

namespace plimsoll {
namespace {

constexpr double kGiB = 1024.0 * 1024.0 * 1024.0;
constexpr double kActivationDenseGiB = 5.5;
constexpr double kActivationMoeGiB = 8.0;
constexpr double kNonTorchGiB = 0.15;  // CUDA context
// Buffers for communication over links between GPUs, of which each has one for every member of its
// group, and more in models with experts; over PCIe vLLM keeps none. Fitted to what start-up logs
// say (docs/explanation/accuracy-kv-memory.md). The reference counts 0.6 GiB per GPU for both.
constexpr double kBufferGiBPerMember = 0.2;
constexpr double kBufferGiBForExperts = 0.8;
constexpr double kReferenceNonTorchGiB = 0.6;
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
                          settings.max_num_seqs, settings.build.sampler) /
         kGiB;
}

// On each GPU.
double non_torch_gib(const ModelConfig& model, const GpuSpec& gpu, double gpus,
                     const KvSettings& settings) {
  if (gpus == 1) return kNonTorchGiB;
  if (settings.shapes == ModelShapes::reference) return kReferenceNonTorchGiB;
  if (gpu.link_gb_s == 0) return kNonTorchGiB;
  return kNonTorchGiB + kBufferGiBPerMember * gpus + (model.is_moe() ? kBufferGiBForExperts : 0);
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
  if (!contains(gated, model.hidden_act)) {
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

const ModelConfig* draft_of(const KvSettings& settings) {
  return settings.speculation != nullptr && settings.speculation->draft
             ? &*settings.speculation->draft
             : nullptr;
}

// On all GPUs of one data-parallel rank.
double rank_weights_bytes(const ModelConfig& model, const GpuSpec& gpu,
                          const Parallelism& parallelism, const KvSettings& settings) {
  if (settings.shapes == ModelShapes::reference) return reference_weights_bytes(model);
  double bytes = loaded_weight_bytes(model, parallelism, gpu, settings.build.mxfp4);
  if (const ModelConfig* draft = draft_of(settings)) {
    ModelConfig loaded = *draft;
    if (settings.speculation->draft_is_layer) loaded.vocab = 0;
    bytes += loaded_weight_bytes(loaded, parallelism, gpu, settings.build.mxfp4);
  }
  return bytes;
}

bool is_enough(const Result<KvCapacity>& memory) {
  return memory && memory->weights_gib + memory->activation_gib + memory->non_torch_gib <
                       memory->available_gib;
}

// The fewest data-parallel ranks of one GPU that hold a model with its experts spread over them;
// 0: none.
std::int64_t fewest_ranks(const ModelConfig& model, const GpuSpec& gpu,
                          const KvSettings& settings) {
  constexpr std::int64_t kMostRanks = 64;
  if (!model.is_moe() || settings.shapes != ModelShapes::exact) return 0;
  for (std::int64_t ranks = 2; ranks <= kMostRanks; ranks *= 2) {
    if (is_enough(instance_memory(model, gpu, {.dp = ranks, .ep = ranks}, settings))) return ranks;
  }
  return 0;
}

// The smallest group that the heads allow and whose memory holds the weights and what else each
// instance needs.
std::string smallest_group(const ModelConfig& model, const GpuSpec& gpu,
                           const KvSettings& settings) {
  const double usable = gpu.memory_gib * settings.gpu_memory_utilization;
  Parallelism group;
  const std::int64_t ranks = fewest_ranks(model, gpu, settings);
  const std::string spread =
      ranks == 0 ? "" : fmt::format("--dp {} with --enable-expert-parallel", ranks);
  // The reference counts memory alone.
  const bool looks_at_heads = settings.shapes == ModelShapes::exact;
  for (group.tp = 1; group.tp <= kMostGpus; ++group.tp) {
    if (looks_at_heads && !divides_heads(model, group.tp, settings.shapes)) continue;
    const double gpus = as_double(group.tp);
    const double activation = activation_gib(model, group, settings);
    const double all = settings.budget == KvBudget::per_gpu ? activation * gpus : activation;
    const double weights = rank_weights_bytes(model, gpu, group, settings) / kGiB;
    // The reference counts buffers for one GPU, too.
    const double other = settings.shapes == ModelShapes::exact
                             ? non_torch_gib(model, gpu, gpus, settings)
                             : kReferenceNonTorchGiB;
    if (weights + all <= (usable - other) * gpus) {
      return fmt::format("needs at least {} GPUs per instance (--tp){}", group.tp,
                         spread.empty() ? "" : ", or " + spread);
    }
  }
  if (!spread.empty()) return "needs " + spread;
  if (!looks_at_heads) return "no number of these GPUs would do";
  return "no number of these GPUs that divides its heads would do; --max-num-batched-tokens and "
         "--max-num-seqs set what activations take";
}

// The same GPUs with fewer requests at a time, whose logits take memory; empty if that does not do.
std::string fewer_requests(const ModelConfig& model, const GpuSpec& gpu,
                           const Parallelism& parallelism, KvSettings settings) {
  constexpr std::int64_t kFew = 16;
  if (settings.activations != ActivationPeak::profiled) return {};
  while (settings.max_num_seqs / 2 >= kFew) {
    settings.max_num_seqs /= 2;
    if (is_enough(instance_memory(model, gpu, parallelism, settings))) {
      return fmt::format(", or --max-num-seqs {}", settings.max_num_seqs);
    }
  }
  return {};
}

// Slots for the tokens that a step proposes, of all requests.
double slots_for_proposals(const KvSettings& settings) {
  if (settings.speculation == nullptr) return 0;
  return std::ceil(as_double(settings.max_num_seqs * settings.speculation->tokens()) /
                   as_double(settings.block_size));
}

// Bytes that a block takes, of the memory that pays for it.
double block_bytes(double bytes_per_token, double tp, const KvSettings& settings) {
  const double bytes = std::trunc(bytes_per_token * as_double(settings.block_size));
  return bytes * (settings.budget == KvBudget::per_gpu ? tp : 1);
}

// Of a model that keeps nothing but states: room for the longest requests is all that can be used.
Result<double> tokens_of_states(const ModelConfig& model, const KvLayers& kv, double free_bytes,
                                const KvSettings& settings) {
  const double requests = as_double(settings.max_num_seqs);
  if (kv.bytes_per_request * requests > free_bytes) {
    return fail(ErrorKind::usage,
                fmt::format("the states of {} requests of {} take {:.1f} GiB, but {:.1f} GiB are "
                            "left beside the weights",
                            settings.max_num_seqs, model.id, kv.bytes_per_request * requests / kGiB,
                            free_bytes / kGiB),
                fmt::format("set --max-num-seqs below {:.0f}, or use more GPUs (--tp)",
                            std::ceil(free_bytes / kv.bytes_per_request)),
                "states");
  }
  return requests * as_double(std::max<std::int64_t>(model.max_position_embeddings, 1));
}

// Blocks in `free_bytes` over all GPUs of the group.
Result<double> exact_blocks(const ModelConfig& model, std::int64_t tp, double free_bytes,
                            const KvSettings& settings, KvCapacity* capacity) {
  KvLayers kv = kv_layers_of(model, tp);
  if (const ModelConfig* draft = draft_of(settings)) kv.add(kv_layers_of(*draft, tp));
  if (settings.no_hybrid_cache) kv = without_hybrid_cache(kv);
  capacity->bytes_per_token_per_gpu = kv.bytes_per_token;
  if (kv.windowed.empty() && kv.bytes_per_request == 0 && kv.bytes_per_token > 0) {
    return std::floor(free_bytes / block_bytes(kv.bytes_per_token, as_double(tp), settings));
  }
  const double on_one = free_bytes / (settings.budget == KvBudget::per_gpu ? as_double(tp) : 1);
  const RequestMix mix{as_double(settings.max_num_seqs), as_double(settings.tokens_per_request)};
  double tokens = tokens_that_fit(kv, on_one, mix);
  if (kv.bytes_per_token == 0) {
    const double longest = as_double(std::max<std::int64_t>(model.max_position_embeddings, 1));
    if (kv.windowed.empty()) {
      TRY(all, tokens_of_states(model, kv, on_one, settings));
      tokens = all;
    }
    tokens = std::min(tokens, mix.requests * longest);
  }
  return std::floor(std::min(tokens, kMaxBlocks) / as_double(settings.block_size));
}

}  // namespace

Result<double> kv_bytes_per_token_per_gpu(const ModelConfig& model, std::int64_t tp,
                                          KvBudget budget, ModelShapes shapes) {
  return shapes == ModelShapes::exact ? exact_kv_bytes(model, tp)
                                      : reference_kv_bytes(model, tp, budget);
}

Result<KvLayers> kv_to_transfer(const ModelConfig& model, const Parallelism& layout,
                                KvBudget budget, ModelShapes shapes, bool has_hybrid_cache) {
  TRY(per_token, kv_bytes_per_token_per_gpu(model, layout.tp, budget, shapes));
  if (shapes != ModelShapes::exact) return KvLayers{per_token, 0, {}};
  KvLayers kv = has_hybrid_cache ? kv_layers_of(model, layout.tp) : KvLayers{per_token, 0, {}};
  const double stages = as_double(layout.pp);
  kv.bytes_per_token /= stages;
  kv.bytes_per_request /= stages;
  for (WindowedKv& layers : kv.windowed) layers.bytes_per_token /= stages;
  return kv;
}

Result<KvCapacity> instance_memory(const ModelConfig& model, const GpuSpec& gpu,
                                   const Parallelism& parallelism, const KvSettings& settings) {
  TRY_TO(check_inputs(model, gpu, settings));
  TRY_TO(checked_model(model));
  TRY(layout, checked_parallelism(parallelism, model));
  TRY(per_token, kv_bytes_per_token_per_gpu(model, layout.tp, settings.budget, settings.shapes));

  // Of one data-parallel rank; all are alike.
  const double gpus = as_double(layout.tp) * as_double(layout.pp);
  KvCapacity memory;
  memory.bytes_per_token_per_gpu = per_token;
  memory.available_gib = gpu.memory_gib * settings.gpu_memory_utilization * gpus;
  memory.weights_gib = rank_weights_bytes(model, gpu, layout, settings) / kGiB;
  memory.activation_gib =
      activation_gib(model, layout, settings) * (settings.budget == KvBudget::per_gpu ? gpus : 1);
  memory.non_torch_gib = non_torch_gib(model, gpu, gpus, settings) * gpus;
  return memory;
}

Result<KvCapacity> kv_capacity(const ModelConfig& model, const GpuSpec& gpu,
                               const Parallelism& parallelism, const KvSettings& settings) {
  TRY(memory, instance_memory(model, gpu, parallelism, settings));
  KvCapacity capacity = memory;
  const double tp = as_double(parallelism.tp);
  const double overhead = capacity.weights_gib + capacity.activation_gib + capacity.non_torch_gib;
  if (overhead >= capacity.available_gib) {
    return fail(
        ErrorKind::usage,
        fmt::format("{} does not fit on {} x {}: {:.1f} GiB of weights and {:.1f} GiB of "
                    "overhead, but {:.1f} GiB usable",
                    model.id, parallelism.tp * parallelism.pp, gpu.name, capacity.weights_gib,
                    capacity.activation_gib + capacity.non_torch_gib, capacity.available_gib),
        smallest_group(model, gpu, settings) + fewer_requests(model, gpu, parallelism, settings),
        "weights");
  }
  const double free_bytes = std::trunc((capacity.available_gib - overhead) * kGiB);
  TRY(blocks,
      settings.shapes == ModelShapes::exact
          ? exact_blocks(model, parallelism.tp, free_bytes, settings, &capacity)
          : std::floor(free_bytes / block_bytes(capacity.bytes_per_token_per_gpu, tp, settings)));
  blocks -= slots_for_proposals(settings);
  if (!(blocks >= 1)) {
    return fail(ErrorKind::usage,
                fmt::format("{} leaves no room for a single KV block on {} x {}", model.id,
                            parallelism.tp, gpu.name),
                smallest_group(model, gpu, settings), "KV block");
  }
  capacity.total_blocks = static_cast<std::int64_t>(std::min(blocks, kMaxBlocks)) * parallelism.dp;
  return capacity;
}

}  // namespace plimsoll
