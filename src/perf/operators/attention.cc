#include "perf/operators/attention.h"

#include "base/numbers.h"

namespace plimsoll {
namespace {

constexpr double kStreamingBandwidth = 0.8;  // of the data sheet's, for reads and writes in order

// The products with the unfolding matrices are small and strided.
constexpr double kAbsorbCompute = 0.6;
constexpr double kAbsorbBandwidth = 0.8;
constexpr double kOverlap = 3;

const LatentAttentionEfficiency& efficiency_of(const WeightFormat& format, double kv_bytes,
                                               const Device& device) {
  const auto rows = &KernelSet::latent_attention;
  const bool blocks = format.bytes <= 1;
  if (kv_bytes < 2) {
    return blocks ? *device.kernels.find(rows, {"fp8-blocks/fp8", "fp8-blocks/bf16"})
                  : *device.kernels.find(rows, {"bf16/fp8", "bf16/bf16"});
  }
  return blocks ? *device.kernels.find(rows, {"fp8-blocks/bf16"})
                : *device.kernels.find(rows, {"bf16/bf16"});
}

std::vector<Gemm> projections(const Attention& a, double hidden, double heads,
                              const WeightFormat& format, const Device& device) {
  const double latent = as_double(a.kv_rank + a.rope_width);
  const double queries = heads * as_double(a.key_width);
  if (a.query_rank == 0) return {Gemm(latent + queries, hidden, format, device)};
  const double rank = as_double(a.query_rank);
  return {Gemm(rank + latent, hidden, format, device), Gemm(queries, rank, format, device)};
}

}  // namespace

const PrefillAttentionEfficiency& prefill_attention(const Device& device) {
  return *device.kernels.find(&KernelSet::prefill_attention, {"bf16"});
}

AttentionCost::AttentionCost(const Attention& attention, double tp, double kv_bytes,
                             const Device& device) {
  const double kv_heads = std::max(as_double(attention.kv_heads) / tp, 1.0);
  const double key_and_value = as_double(attention.key_width + attention.value_width);
  const double stored = attention.keys_are_values ? as_double(attention.key_width) : key_and_value;
  heads_ = as_double(attention.heads) / tp;

  const DecodeAttentionEfficiency& decode =
      kv_bytes < 2 ? *device.kernels.find(&KernelSet::decode_attention, {"fp8", "bf16"})
                   : *device.kernels.find(&KernelSet::decode_attention, {"bf16"});
  decode_launch_us_ = decode.launch_us;
  decode_us_per_request_ = decode.head_ns * 1e-3 * heads_;
  decode_us_per_context_token_ =
      stored * kv_heads * kv_bytes / (device.bytes_per_us() * decode.memory);
  // FlashAttention-2 sends the decoding rows of a mixed batch through its prefill kernel, which
  // reads the cache again for the heads of a group.
  const PrefillAttentionEfficiency& prefill = prefill_attention(device);
  mixed_rereads_ = std::max(
      1.0, prefill.decode_rereads * as_double(attention.heads) / as_double(attention.kv_heads));

  prefill_launch_us_ = prefill.launch_us;
  query_padding_ = prefill.query_padding;
  serial_head_tokens_ = prefill.serial_head_tokens;
  us_per_head_pair_ =
      2 * key_and_value / (device.flop_per_us(MatrixFormat::bf16) * prefill.compute);
  const double streaming = kStreamingBandwidth * device.bytes_per_us();
  us_per_query_ = kActivationBytes * heads_ * key_and_value / streaming;
  us_per_read_token_ = kv_bytes * kv_heads * stored / streaming;
}

LatentAttentionCost::LatentAttentionCost(const Attention& a, double hidden, double tp,
                                         const WeightFormat& format, double kv_bytes,
                                         const Device& device)
    : projections_(projections(a, hidden, as_double(a.heads) / tp, format, device)),
      output_(hidden, as_double(a.heads) / tp * as_double(a.value_width), format, device),
      unfold_(as_double(a.heads) / tp * as_double(a.key_width - a.rope_width + a.value_width),
              as_double(a.kv_rank), format, device) {
  const double heads = as_double(a.heads) / tp;
  const double rank = as_double(a.kv_rank);
  const double rope = as_double(a.rope_width);
  const double bare_key = as_double(a.key_width) - rope;
  const double value = as_double(a.value_width);
  const double peak = device.flop_per_us(MatrixFormat::bf16);
  const double bandwidth = device.bytes_per_us();
  const LatentAttentionEfficiency& fitted = efficiency_of(format, kv_bytes, device);

  absorb_compute_us_per_row_ = 2 * heads * bare_key * rank / (kAbsorbCompute * peak);
  absorb_weights_us_ = heads * bare_key * rank * 2 / (kAbsorbBandwidth * bandwidth);
  absorb_traffic_us_per_row_ =
      kActivationBytes * heads * (bare_key + rank) / (kAbsorbBandwidth * bandwidth);
  decode_us_per_request_ = fitted.decode.request_us;
  decode_us_per_context_token_ = smooth_max(
      2 * (heads + fitted.decode.head_padding) * (2 * rank + rope) / (peak * fitted.decode.compute),
      (rank + rope) * kv_bytes / (bandwidth * fitted.decode.memory), kOverlap);
  decode_launch_us_ = fitted.decode.launch_us;

  const double unfolded = heads * (bare_key + rope + value);
  prefill_us_per_pair_ = 2 * unfolded / (peak * fitted.prefill.compute);
  prefill_us_per_token_ = prefill_us_per_pair_ * fitted.prefill.query_padding +
                          fitted.prefill.activation * (4 * hidden + 6 * unfolded) / bandwidth;
  prefill_launch_us_ = fitted.prefill.launch_us;
}

double LatentAttentionCost::decode_rows_us(double requests) const {
  if (requests <= 0) return 0;
  double us = output_.without_launch_us(requests) + decode_us_per_request_ * requests;
  for (const Gemm& projection : projections_) us += projection.without_launch_us(requests);
  return us + 2 * smooth_max(absorb_compute_us_per_row_ * requests,
                             absorb_weights_us_ + absorb_traffic_us_per_row_ * requests, kOverlap);
}

double LatentAttentionCost::prefill_rows_us(double tokens) const {
  if (tokens <= 0) return 0;
  double us = output_.without_launch_us(tokens) + unfold_.without_launch_us(tokens) +
              prefill_us_per_token_ * tokens;
  for (const Gemm& projection : projections_) us += projection.without_launch_us(tokens);
  return us;
}

}  // namespace plimsoll
