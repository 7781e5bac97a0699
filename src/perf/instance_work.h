// The arithmetic and the memory traffic of one instance, counted from the model, and
// what its GPUs could do at most: the two sides of MFU and MBU. Counted as it is computed, whatever
// a step-time model makes of it: LM head and embedding included, causal attention not doubled.
#pragma once

#include <cstdint>
#include <vector>

#include "base/result.h"
#include "catalog/gpu.h"
#include "catalog/model.h"
#include "perf/parallelism.h"

namespace plimsoll {

/// The work that a token pays for each token of its context. Layers that look back equally far are
/// one.
struct ContextWork {
  double reach = 0;  ///< looks at no more than so many tokens; 0 = all
  double flops_per_attended_token = 0;
  double bytes_per_kv_token = 0;  ///< KV read
};

/// The work of all GPUs of an instance together. 2 FLOPs are one multiplication with its addition.
struct InstanceWork {
  double flops_per_token = 0;          ///< projections, MLP or experts, router
  double flops_per_sampled_token = 0;  ///< LM head
  double resident_bytes = 0;           ///< weights that every step reads
  double experts_bytes = 0;            ///< of all routed experts
  double experts = 0;                  ///< of a layer
  double experts_per_token = 0;
  double expert_evenness = 0;          ///< shape of their popularity (perf/operators/experts.h)
  double bytes_per_token = 0;          ///< its embedding, and its KV written
  double bytes_per_sampled_token = 0;  ///< states of linear attention, read and written
  std::vector<ContextWork> contexts;
  double peak_flops = 0;  ///< per second, dense, in the fastest format of its weights
  double peak_bytes = 0;  ///< per second
  double tdp_w = 0;       ///< 0: not known
};

/// An error for a model whose layers are not known.
Result<InstanceWork> instance_work(const ModelConfig& model, const GpuSpec& gpu,
                                   const Parallelism& parallelism);

/// The work that an instance did in a run.
struct WorkDone {
  std::int64_t steps = 0;
  std::int64_t tokens = 0;           ///< of prompts and answers that went through the layers
  std::int64_t sampled_tokens = 0;   ///< that the LM head was needed for
  std::int64_t attended_tokens = 0;  ///< summed over those tokens, itself included
  std::int64_t kv_tokens_read = 0;   ///< summed over requests and steps
};

/// Tokens beyond the reach of a layer are left out, by the mean length of the context.
double flops_of(const InstanceWork& work, const WorkDone& done);

/// The power that busy GPUs draw on average, as a share of their TDP: docs/explanation/power.md has
/// the fit to measured power. `mbu` and `mfu` are those while busy.
double power_share(double mbu, double mfu);

/// Bytes read and written. The experts that a step touches are those of its decoding tokens: a
/// lower bound where steps prefill, too.
double bytes_of(const InstanceWork& work, const WorkDone& done);

}  // namespace plimsoll
