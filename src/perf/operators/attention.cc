#include "perf/operators/attention.h"

#include "base/numbers.h"

namespace plimsoll {
namespace {

constexpr double kStreamingBandwidth = 0.8;  // of the data sheet's, for reads and writes in order

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

}  // namespace plimsoll
