// Measured operators as observations: what their table says of them, and which class of
// perf/operators predicts them. Times in microseconds.
#pragma once

#include <cstdint>

#include "fit/family.h"

namespace plimsoll {

/// y[rows, outputs] = x[rows, inputs] w[inputs, outputs].
OperatorSample gemm_observation(double us, double rows, double outputs, double inputs,
                                const WeightFormat& format);

/// Of `batch` sequences alike. Prefill: `tokens` new ones each, after `cached` ones. Decode:
/// `tokens` of context, the new one included.
struct AttentionCall {
  double batch = 0;
  double tokens = 0;
  double cached = 0;
  std::int64_t heads = 0;
  std::int64_t kv_heads = 0;
  std::int64_t head_width = 0;
  double kv_bytes = 2;
};

OperatorSample prefill_attention_observation(double us, const AttentionCall& call);
OperatorSample decode_attention_observation(double us, const AttentionCall& call);

/// Of DeepSeek-V3's sizes, with all its projections.
OperatorSample latent_decode_observation(double us, double batch, double tokens, std::int64_t heads,
                                         const WeightFormat& format, double kv_bytes);
OperatorSample latent_prefill_observation(double us, double batch, double tokens,
                                          std::int64_t heads, const WeightFormat& format,
                                          double kv_bytes);

struct ExpertsCall {
  double tokens = 0;
  double hidden = 0;
  std::int64_t width = 0;
  std::int64_t experts = 0;
  std::int64_t per_token = 0;
  std::int64_t tp = 1;  ///< GPUs that slice each expert
  double touched = 0;   ///< experts that some token chose; 0 = by the device's expert_evenness
};

OperatorSample experts_observation(double us, const ExpertsCall& call, const WeightFormat& format);

OperatorSample all_reduce_observation(double us, double gpus, double elements);
/// Of GPUs whose link joins two each: more of them exchange over PCIe.
OperatorSample all_reduce_of_pairs_observation(double us, double gpus, double elements);

}  // namespace plimsoll
