#include "perf/shape_costs.h"

#include <algorithm>

#include "base/numbers.h"
#include "perf/model_size.h"

namespace plimsoll {
namespace {

struct Rates {
  const GpuSpec& gpu;
  double tp = 1;
  double dp = 1;
  double group = 1;  // GPUs that share the experts

  double compute_us(double parameters, const WeightFormat& format) const {
    return 2 * parameters / peak_flop_per_us(gpu, format.math);
  }
  double read_us(double bytes) const { return bytes / (gpu.memory_bandwidth_tb_s * 1e6); }
};

ContextCost& cost_within(double reach, ShapeCosts* costs) {
  for (ContextCost& cost : costs->contexts) {
    if (cost.reach == reach) return cost;
  }
  costs->contexts.push_back({reach, 0, 0, 0});
  return costs->contexts.back();
}

// FLOPs of one token with one that it looks at: once with its key, once with its value. Latent
// attention decodes against the latent vector itself (DeepSeek-V2, arXiv 2405.04434, 2.1.3).
void add_context(const Attention& a, double layers, double kv_bytes, const Rates& rates,
                 ShapeCosts* costs) {
  if (a.kind != AttentionKind::standard && a.kind != AttentionKind::latent) return;
  const WeightFormat unquantised;
  const double heads = as_double(a.heads) / rates.tp;
  const double prefill = heads * as_double(a.key_width + a.value_width);
  const double decode =
      a.kind == AttentionKind::latent ? heads * as_double(2 * a.kv_rank + a.rope_width) : prefill;
  const double reach = as_double(a.window > 0 ? a.window : a.selected);
  const double index_bytes = a.index_heads > 0 ? as_double(a.index_width) + 4 : 0;
  const double kept = kv_footprint(a, kv_bytes, rates.tp).bytes_per_token;
  ContextCost& cost = cost_within(reach, costs);
  cost.prefill_us_per_pair += layers * rates.compute_us(prefill, unquantised) / rates.dp;
  cost.decode_us_per_pair += layers * rates.compute_us(decode, unquantised) / rates.dp;
  cost.read_us_per_token += layers * rates.read_us(kept - index_bytes) / rates.dp;
  costs->kv_write_us_per_token += layers * rates.read_us(kept) / rates.dp;
  if (a.index_heads == 0) return;
  const double scored = as_double(a.index_heads * a.index_width) / rates.tp;
  const double score_us = layers * rates.compute_us(scored, {1, MatrixFormat::fp8}) / rates.dp;
  ContextCost& index = cost_within(0, costs);
  index.prefill_us_per_pair += score_us;
  index.decode_us_per_pair += score_us;
  index.read_us_per_token += layers * rates.read_us(index_bytes) / rates.dp;
}

void add_matrices(const Layer& layer, const ModelConfig& model, double layers, const Rates& rates,
                  ShapeCosts* costs) {
  const double hidden = as_double(model.hidden);
  const Quantization& q = model.quantization;
  const double ranks = rates.tp * rates.dp;
  const auto add = [&](double parameters, const WeightFormat& format) {
    costs->compute_us_per_token += layers * rates.compute_us(parameters, format) / ranks;
    costs->weights_us += layers * rates.read_us(parameters * format.bytes) / rates.tp;
  };
  const Attention& attention = layer.attention;
  add(attention_parameters(attention, hidden),
      attention.kind == AttentionKind::linear ? q.linear_attention : q.attention);
  const Mlp& mlp = layer.mlp;
  const double common = common_mlp_parameters(mlp, hidden);
  if (mlp.kind == MlpKind::dense) add(common, q.dense_mlp);
  if (mlp.kind != MlpKind::experts) return;
  const double shared = as_double(mlp.matrices) * hidden * as_double(mlp.shared_width);
  add(shared, q.shared_experts);
  add(common - shared, {});
  const double expert = expert_parameters(mlp, hidden);
  const double used = as_double(mlp.experts_per_token);
  const double all = as_double(mlp.experts);
  costs->compute_us_per_token += layers * rates.compute_us(expert * used, q.experts) / rates.group;
  costs->experts_us += layers * rates.read_us(expert * all * q.experts.bytes) / rates.group;
  costs->idle_share = (all - used) / all;
}

}  // namespace

double peak_flop_per_us(const GpuSpec& gpu, MatrixFormat format) {
  double tflops = 0;
  if (format == MatrixFormat::fp8 || format == MatrixFormat::fp8_blocks) tflops = gpu.tflops_fp8;
  if (format == MatrixFormat::int8) tflops = gpu.tops_int8;
  if (format == MatrixFormat::fp4) tflops = gpu.tflops_fp4;
  if (format == MatrixFormat::mxfp4 && gpu.tflops_fp4 > 0) tflops = gpu.tflops_fp8;
  return (tflops > 0 ? tflops : gpu.tflops_bf16) * 1e6;
}

Context within_reach(const ContextCost& cost, const BatchShape& batch, double prefill_pairs) {
  const double tokens = as_double(batch.prefill_tokens);
  Context context{prefill_pairs, tokens + as_double(batch.prefill_context),
                  as_double(batch.decode_context)};
  if (cost.reach == 0) return context;
  context.prefill_pairs = std::min(context.prefill_pairs, tokens * cost.reach);
  context.prefill_read =
      std::min(context.prefill_read, tokens + as_double(batch.prefill_requests) * cost.reach);
  context.decode_read =
      std::min(context.decode_read, as_double(batch.decode_requests) * cost.reach);
  return context;
}

ShapeCosts shape_costs(const ModelConfig& model, const GpuSpec& gpu, const Parallelism& layout) {
  const double tp = as_double(layout.tp);
  const double dp = as_double(layout.dp);
  const Rates rates{gpu, tp, dp, tp * dp};
  ShapeCosts costs;
  for (const LayerGroup& group : model.layers_by_kind) {
    const double layers = as_double(group.count);
    const Attention& attention = group.layer.attention;
    add_context(attention, layers, model.quantization.kv_bytes, rates, &costs);
    add_matrices(group.layer, model, layers, rates, &costs);
    const double state = kv_footprint(attention, 2, tp).bytes_per_request;
    costs.state_us_per_request += layers * rates.read_us(2 * state) / dp;
  }
  const double head = as_double(model.vocab) * as_double(model.hidden);
  costs.head_us_per_row = rates.compute_us(head, {}) / (tp * dp);
  costs.head_weights_us = rates.read_us(head * kUnquantised) / tp;
  return costs;
}

}  // namespace plimsoll
