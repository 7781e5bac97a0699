#include "perf/operators/attention.h"

namespace plimsoll {
namespace {

double as_double(std::int64_t n) { return static_cast<double>(n); }

constexpr double kStreamingBandwidth = 0.8;  // of the data sheet's, for reads and writes in order

}  // namespace

const PrefillAttentionEfficiency& prefill_attention(const Device& device) {
  return *device.kernels.find(&KernelSet::prefill_attention, {"bf16"});
}

AttentionShape within_reach(const AttentionShape& shape, double reach) {
  if (reach <= 0) return shape;
  AttentionShape seen = shape;
  seen.decode_context = std::min(shape.decode_context, shape.decode_requests * reach);
  seen.prefill_pairs = std::min(shape.prefill_pairs, shape.prefill_tokens * reach);
  seen.prefill_context =
      std::min(shape.prefill_context, shape.prefill_tokens + shape.prefill_chunks * reach);
  return seen;
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

double AttentionCost::prefill_us(const AttentionShape& shape) const {
  if (shape.prefill_tokens <= 0) return 0;
  const double all = heads_ * (shape.prefill_pairs + query_padding_ * shape.prefill_context);
  const double alone = serial_head_tokens_ * shape.prefill_context / shape.prefill_chunks;
  return us_per_head_pair_ * smooth_max_4(all, alone) + us_per_query_ * shape.prefill_tokens +
         us_per_read_token_ * shape.prefill_context;
}

}  // namespace plimsoll
