// The time of multi-head latent attention (DeepSeek-V2, arXiv 2405.04434), one layer, with all its
// projections. Decode works on the latent vectors themselves, prefill unfolds them to keys and
// values per head. The latent cache is not split over GPUs.
//   decode  = projections of B rows + two products with the unfolding matrices
//             + smooth_max_3(2 C (H + padding) (2 r + e) / peak, C (r + e) bytes / bandwidth)
//   prefill = projections of T rows, unfolding included + 2 H (o + e + v) (Q + padding T) / peak
//             + passes over the activations
// r, e: width of a latent vector and of the rotary part kept beside it; o: width of a key without
// that part, v: of a value; H heads of this GPU; B, C, T, Q as in attention.h.
#pragma once

#include <vector>

#include "perf/operators/attention.h"
#include "perf/operators/gemm.h"

namespace plimsoll {

class LatentAttentionCost {
 public:
  LatentAttentionCost(const Attention& attention, double hidden, double tp,
                      const WeightFormat& format, double kv_bytes, const Device& device);

  double decode_launch_us() const { return decode_launch_us_; }
  /// Of the projections and of the rows themselves, without launch.
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
