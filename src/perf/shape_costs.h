// The costs of a model's layers on one GPU of its group: sums over the kinds of layers, in
// microseconds at the GPU's peak rates. Step-time models weigh them with efficiencies.
#pragma once

#include <vector>

#include "catalog/gpu.h"
#include "catalog/model.h"
#include "perf/parallelism.h"
#include "perf/step_time_model.h"

namespace plimsoll {

/// The cost of a token for the tokens before it that it looks at. Layers that look back equally far
/// are one cost.
struct ContextCost {
  double reach = 0;  ///< looks at no more than so many tokens; 0 = all
  double prefill_us_per_pair = 0;
  double decode_us_per_pair = 0;
  double read_us_per_token = 0;  ///< of the KV cache
};

/// The tokens that a batch looks at, tokens that are out of reach left out. The sums of a
/// BatchShape bound it from above: a batch of unequal lengths may read a little less.
struct Context {
  double prefill_pairs = 0;
  double prefill_read = 0;
  double decode_read = 0;
};

Context within_reach(const ContextCost& cost, const BatchShape& batch, double prefill_pairs);

struct ShapeCosts {
  double compute_us_per_token = 0;  ///< projections, MLPs, the experts of a token
  double kv_write_us_per_token = 0;
  double state_us_per_request = 0;  ///< linear attention: its state read and written, per step
  double weights_us = 0;            ///< reading all but routed experts and the output head
  double experts_us = 0;            ///< reading all routed experts of this GPU
  double idle_share = 0;            ///< of the experts, for one token
  double head_us_per_row = 0;       ///< output head, for each token that is sampled
  double head_weights_us = 0;
  std::vector<ContextCost> contexts;
};

/// Attention is spread over `tp` GPUs (a latent vector and KV heads fewer than GPUs are on each),
/// tokens over `dp` ranks, experts over all. The FLOPs of a matrix are twice its parameters.
ShapeCosts shape_costs(const ModelConfig& model, const GpuSpec& gpu, const Parallelism& layout);

/// The rate in FLOP/us at which this GPU multiplies in a format: its own where it has it, else
/// that of bf16.
double peak_flop_per_us(const GpuSpec& gpu, MatrixFormat format);

}  // namespace plimsoll
