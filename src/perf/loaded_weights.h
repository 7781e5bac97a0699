// The memory that the weights of a model take on the GPUs of one data-parallel rank once vLLM has
// loaded them: the stored weights (model_size.h), with the copies that tensor parallelism makes of
// what it does not slice, and the padding that kernels for MXFP4 experts ask for.
#pragma once

#include <cstdint>

#include "base/result.h"
#include "catalog/gpu.h"
#include "catalog/model.h"
#include "perf/kv_capacity.h"
#include "perf/parallelism.h"

namespace plimsoll {

/// Bytes on all GPUs of one rank together; the routed experts of the model are shared by all ranks.
///
/// Every GPU of the group has norms, routers, the down-projections of latent attention and an index
/// for itself, and a KV head where there are fewer heads than GPUs. MXFP4 experts are padded: what
/// they read to a multiple of 256, and the width of each slice of an expert to a multiple of 64 by
/// the kernels of Hopper and of 128 by Marlin, which other GPUs use (vllm, mxfp4.py). gpt-oss-120b
/// thereby takes 64.4 GiB of an H100 and 65.9 of an A100, where its files have 60.7.
double loaded_weight_bytes(const ModelConfig& model, const Parallelism& parallelism,
                           const GpuSpec& gpu, Mxfp4Kernels kernels);

// The memory that the engine's tensors take at the peak of vLLM's start-up profile, beside weights
// and KV cache. Called where KV blocks are counted: they get what this peak leaves.

/// Bytes on each GPU of a data-parallel rank whose steps have at most `tokens` tokens of `requests`
/// requests. The profile (vllm/v1/worker/gpu_model_runner.py, profile_run) first runs the layers on
/// as many tokens as a step may have, then samples for as many requests, with the hidden states at
/// hand; the larger of the two counts:
///
///     2 tokens hidden + max(2 tokens inside one layer, bytes per logit x requests x vocabulary)
///
/// Inside a layer of 2-byte values: what the MLP reads, its products and their activated product
/// (dense: hidden + 3 width / TP); with experts the same for each of a token's experts. Sampling
/// takes place on every GPU. Where it sorts all logits of all requests it takes 38.3 bytes per
/// logit, measured by llm-d (llm-d-benchmark, config_explorer/empirical-vllm-memory-results.md);
/// without, 15 (fitted, tests/kv_memory/cases.csv).
double activation_bytes(const ModelConfig& model, const Parallelism& parallelism,
                        std::int64_t tokens, std::int64_t requests, LogitSampler sampler);

// The bytes that the public simulator BLIS counts for weights and KV cache: every layer alike,
// gated MLPs of three matrices, activations' type for keys and values. Bytes. --semantics blis
// follows it to the byte; kv_capacity.h says where.

/// The bytes of all weights.
double reference_weights_bytes(const ModelConfig& model);

/// The bytes of one token on one GPU of the TP group. With KvBudget::per_gpu a GPU keeps at least
/// one head.
Result<double> reference_kv_bytes(const ModelConfig& model, std::int64_t tp, KvBudget budget);

}  // namespace plimsoll
