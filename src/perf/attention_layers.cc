#include "perf/attention_layers.h"

#include "perf/model_size.h"

namespace plimsoll {

AttentionLayers::AttentionLayers(const ModelConfig& model, double tp, const Device& device)
    : host_goes_first_(device.only_prompts && device.overheads.prefill_host_alone > 0),
      latent_rows_memo_(1024) {
  for (const LayerGroup& group : model.layers_by_kind) {
    const double count = as_double(group.count);
    add(group.layer.attention, count, model, tp, device);
    mixed_launch_us_ += count * device.overheads.mixed_step_per_layer;
    prefill_host_us_ += count * device.overheads.prefill_host_per_layer;
    if (group.layer.attention.kind == AttentionKind::latent) {
      prefill_host_us_ += count * device.overheads.prefill_host_per_latent_layer;
    }
  }
  if (host_goes_first_) prefill_host_us_ *= device.overheads.prefill_host_alone;
}

ContextRate& AttentionLayers::context_rate(double reach) {
  for (ContextRate& rate : contexts_) {
    if (rate.reach == reach) return rate;
  }
  contexts_.push_back({reach, 0, 0});
  return contexts_.back();
}

void AttentionLayers::add(const Attention& attention, double count, const ModelConfig& model,
                          double tp, const Device& device) {
  const double reach = as_double(attention.window > 0 ? attention.window : attention.selected);
  const double kv_bytes = model.quantization.kv_bytes;
  double decode_launch = 0;
  double prefill_launch = 0;
  if (attention.kind == AttentionKind::standard) {
    const AttentionCost cost(attention, tp, kv_bytes, device);
    decode_launch = cost.decode_launch_us();
    prefill_launch = cost.prefill_launch_us();
    decode_us_per_request_ += count * cost.decode_us_per_request();
    ContextRate& rate = context_rate(reach);
    rate.us += count * cost.decode_us_per_context_token();
    rate.us_in_mixed_steps += count * cost.mixed_rereads() * cost.decode_us_per_context_token();
    standard_.push_back({cost, count, reach});
  }
  if (attention.kind == AttentionKind::latent) {
    const LatentAttentionCost cost(attention, as_double(model.hidden), tp,
                                   model.quantization.attention, kv_bytes, device);
    decode_launch = cost.decode_launch_us();
    prefill_launch = cost.prefill_launch_us();
    ContextRate& rate = context_rate(reach);
    rate.us += count * cost.decode_us_per_context_token();
    rate.us_in_mixed_steps += count * cost.decode_us_per_context_token();
    latent_.push_back({cost, count, reach});
  }
  if (attention.kind == AttentionKind::linear) {
    const double bytes = kv_footprint(attention, kv_bytes, tp).bytes_per_request;
    state_us_per_request_ +=
        count * 2 * bytes / (device.overheads.small_kernel_bandwidth * device.bytes_per_us());
  }
  if (attention.index_heads > 0) add_index(attention, count, tp, device);
  decode_launch_us_ += count * decode_launch;
  prefill_launch_us_ += count * prefill_launch;
  mixed_launch_us_ += count * std::max(decode_launch, prefill_launch);
}

// Sparse attention scores every token of the context with narrow 8-bit keys.
void AttentionLayers::add_index(const Attention& attention, double count, double tp,
                                const Device& device) {
  const double width = as_double(attention.index_width);
  const double scored = 2 * as_double(attention.index_heads) * width / tp;
  index_us_per_pair_ +=
      count * scored / (device.flop_per_us(MatrixFormat::fp8) * prefill_attention(device).compute);
  const double read =
      count * (width + 4) / (device.overheads.small_kernel_bandwidth * device.bytes_per_us());
  ContextRate& rate = context_rate(0);
  rate.us += read;
  rate.us_in_mixed_steps += read;
}

double AttentionLayers::latent_rows_us(std::int64_t requests) const {
  return latent_rows_memo_.at(requests, [this](std::int64_t n) {
    double us = 0;
    for (const auto& layers : latent_) {
      us += layers.count * layers.cost.decode_rows_us(as_double(n));
    }
    return us;
  });
}

double AttentionLayers::prefill_us(const AttentionShape& shape) const {
  double us =
      index_us_per_pair_ * shape.prefill_pairs + state_us_per_request_ * shape.prefill_chunks;
  for (const auto& layers : standard_) {
    us +=
        layers.count * (layers.reach > 0 ? layers.cost.prefill_us(within_reach(shape, layers.reach))
                                         : layers.cost.prefill_us(shape));
  }
  for (const auto& layers : latent_) {
    us += layers.count *
          (layers.cost.prefill_rows_us(shape.prefill_tokens) +
           layers.cost.prefill_us_per_pair() * within_reach(shape, layers.reach).prefill_pairs);
  }
  return us;
}

}  // namespace plimsoll
