// The time of attention with keys and values per head (MHA, GQA, MQA), one layer, beside its
// projections. Decode reads the cache; prefill computes, in tiles, and one sequence alone cannot
// fill the GPU:
//   decode  = 2 C K h bytes / (bandwidth * efficiency) * rereads + head_ns * B H
//   prefill = 4 h smooth_max_4(H (Q + padding R), serial R / n) / (peak * efficiency)
//             + (4 H h T + 2 bytes K h R) / (0.8 bandwidth)
// with B decoding requests over C tokens of context; T new tokens in n chunks, Q pairs of a new
// token and one it looks at, R tokens looked at; H query and K KV heads of this GPU, h wide.
// Layers with a window see no more than it of each.
#pragma once

#include <vector>

#include "catalog/layers.h"
#include "perf/operators/device.h"
#include "perf/operators/gemm.h"

namespace plimsoll {

/// The attention of one GPU in a step: its data-parallel rank's share of a BatchShape.
struct AttentionShape {
  double decode_requests = 0;  ///< B
  double decode_context = 0;   ///< C, the new token included
  double prefill_tokens = 0;   ///< T
  double prefill_chunks = 0;   ///< n
  double prefill_pairs = 0;    ///< Q
  double prefill_context = 0;  ///< R, the new tokens included
};

/// The part of it that looking back on no more than `reach` tokens leaves; 0 = all. Bounded
/// from above by sums: a batch of unequal lengths may see a little less.
inline AttentionShape within_reach(const AttentionShape& shape, double reach) {
  AttentionShape seen = shape;
  if (reach <= 0) return seen;
  seen.decode_context = std::min(shape.decode_context, shape.decode_requests * reach);
  seen.prefill_pairs = std::min(shape.prefill_pairs, shape.prefill_tokens * reach);
  seen.prefill_context =
      std::min(shape.prefill_context, shape.prefill_tokens + shape.prefill_chunks * reach);
  return seen;
}

/// Keys and values are multiplied in 16 bits, whatever they are stored in.
const PrefillAttentionEfficiency& prefill_attention(const Device& device);

class AttentionCost {
 public:
  /// `kv_bytes` per element of the cache.
  AttentionCost(const Attention& attention, double tp, double kv_bytes, const Device& device);

  double decode_launch_us() const { return decode_launch_us_; }
  double decode_us_per_request() const { return decode_us_per_request_; }
  double decode_us_per_context_token() const { return decode_us_per_context_token_; }
  /// How often decode reads the cache in a step that prefills too.
  double mixed_rereads() const { return mixed_rereads_; }

  double prefill_launch_us() const { return prefill_launch_us_; }
  /// Without launch, of a shape within reach; 0 where nothing is prefilled.
  double prefill_us(const AttentionShape& shape) const {
    if (shape.prefill_tokens <= 0) return 0;
    const double all = heads_ * (shape.prefill_pairs + query_padding_ * shape.prefill_context);
    const double alone = serial_head_tokens_ * shape.prefill_context / shape.prefill_chunks;
    return us_per_head_pair_ * smooth_max_4(all, alone) + us_per_query_ * shape.prefill_tokens +
           us_per_read_token_ * shape.prefill_context;
  }

 private:
  double decode_launch_us_ = 0;
  double decode_us_per_request_ = 0;
  double decode_us_per_context_token_ = 0;
  double mixed_rereads_ = 1;

  double prefill_launch_us_ = 0;
  double heads_ = 0;
  double query_padding_ = 0;
  double serial_head_tokens_ = 0;
  double us_per_head_pair_ = 0;
  double us_per_query_ = 0;
  double us_per_read_token_ = 0;
};

// The time of multi-head latent attention (DeepSeek-V2, arXiv 2405.04434), one layer, with all its
// projections. Decode works on the latent vectors themselves, prefill unfolds them to keys and
// values per head. The latent cache is not split over GPUs.
//   decode  = projections of B rows + two products with the unfolding matrices
//             + smooth_max_3(2 C (H + padding) (2 r + e) / peak, C (r + e) bytes / bandwidth)
//   prefill = projections of T rows, unfolding included + 2 H (o + e + v) (Q + padding T) / peak
//             + passes over the activations
// r, e: width of a latent vector and of the rotary part kept beside it; o: width of a key without
// that part, v: of a value; H heads of this GPU; B, C, T, Q as in attention.h.

class LatentAttentionCost {
 public:
  LatentAttentionCost(const Attention& attention, double hidden, double tp,
                      const WeightFormat& format, double kv_bytes, const Device& device);

  double decode_launch_us() const { return decode_launch_us_; }
  /// The time of the projections and of the rows themselves, without launch.
  double decode_rows_us(double requests) const;
  double decode_us_per_context_token() const { return decode_us_per_context_token_; }

  double prefill_launch_us() const { return prefill_launch_us_; }
  double prefill_rows_us(double tokens) const;
  double prefill_us_per_pair() const { return prefill_us_per_pair_; }

 private:
  std::vector<Gemm> projections_;  // of queries and of the latent vector
  Gemm output_;
  Gemm unfold_;
  double absorb_compute_us_per_row_ = 0;
  double absorb_weights_us_ = 0;
  double absorb_traffic_us_per_row_ = 0;
  double decode_us_per_request_ = 0;
  double decode_us_per_context_token_ = 0;
  double decode_launch_us_ = 0;
  double prefill_us_per_token_ = 0;
  double prefill_us_per_pair_ = 0;
  double prefill_launch_us_ = 0;
};

}  // namespace plimsoll
