// What the engine's tensors take at the peak of vLLM's start-up profile, beside weights and KV
// cache. Called where KV blocks are counted: they get what this peak leaves.
#pragma once

#include <cstdint>

#include "catalog/model.h"
#include "perf/engine_build.h"
#include "perf/parallelism.h"

namespace plimsoll {

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

}  // namespace plimsoll
