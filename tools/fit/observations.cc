#include "fit/observations.h"

#include "perf/operators/all_reduce.h"
#include "perf/operators/attention.h"
#include "perf/operators/experts.h"
#include "perf/operators/gemm.h"

namespace plimsoll {
namespace {

Attention standard(const AttentionCall& call) {
  Attention attention;
  attention.kind = AttentionKind::standard;
  attention.heads = call.heads;
  attention.kv_heads = call.kv_heads;
  attention.key_width = call.head_width;
  attention.value_width = call.head_width;
  return attention;
}

// config.json of deepseek-ai/DeepSeek-V3.
constexpr double kHidden = 7168;

Attention latent(std::int64_t heads) {
  Attention attention;
  attention.kind = AttentionKind::latent;
  attention.heads = heads;
  attention.kv_heads = heads;
  attention.query_rank = 1536;
  attention.kv_rank = 512;
  attention.rope_width = 64;
  attention.key_width = 128 + attention.rope_width;
  attention.value_width = 128;
  return attention;
}

}  // namespace

OperatorSample gemm_observation(double us, double rows, double outputs, double inputs,
                                const WeightFormat& format) {
  return {us, [=](const Device& device) { return Gemm(outputs, inputs, format, device).us(rows); }};
}

OperatorSample prefill_attention_observation(double us, const AttentionCall& call) {
  AttentionShape shape;
  shape.prefill_tokens = call.batch * call.tokens;
  shape.prefill_chunks = call.batch;
  shape.prefill_pairs = call.batch * call.tokens * (call.cached + call.tokens / 2);
  shape.prefill_context = call.batch * (call.cached + call.tokens);
  return {us, [=](const Device& device) {
            const AttentionCost cost(standard(call), 1, call.kv_bytes, device);
            return cost.prefill_launch_us() + cost.prefill_us(shape);
          }};
}

OperatorSample decode_attention_observation(double us, const AttentionCall& call) {
  return {us, [=](const Device& device) {
            const AttentionCost cost(standard(call), 1, call.kv_bytes, device);
            return cost.decode_launch_us() + cost.decode_us_per_request() * call.batch +
                   cost.decode_us_per_context_token() * call.batch * call.tokens;
          }};
}

OperatorSample latent_decode_observation(double us, double batch, double tokens, std::int64_t heads,
                                         const WeightFormat& format, double kv_bytes) {
  return {us, [=](const Device& device) {
            const LatentAttentionCost cost(latent(heads), kHidden, 1, format, kv_bytes, device);
            return cost.decode_launch_us() + cost.decode_rows_us(batch) +
                   cost.decode_us_per_context_token() * batch * tokens;
          }};
}

OperatorSample latent_prefill_observation(double us, double batch, double tokens,
                                          std::int64_t heads, const WeightFormat& format,
                                          double kv_bytes) {
  return {us, [=](const Device& device) {
            const LatentAttentionCost cost(latent(heads), kHidden, 1, format, kv_bytes, device);
            return cost.prefill_launch_us() + cost.prefill_rows_us(batch * tokens) +
                   cost.prefill_us_per_pair() * batch * tokens * tokens / 2;
          }};
}

OperatorSample experts_observation(double us, const ExpertsCall& call, const WeightFormat& format) {
  Mlp mlp;
  mlp.kind = MlpKind::experts;
  mlp.experts = call.experts;
  mlp.experts_per_token = call.per_token;
  mlp.expert_width = call.width;
  Parallelism layout;
  layout.tp = call.tp;
  return {us, [=](const Device& device) {
            const ExpertsCost cost(mlp, call.hidden, layout, format, device);
            return call.touched > 0 ? cost.us(call.tokens, call.touched) : cost.us(call.tokens);
          }};
}

OperatorSample all_reduce_observation(double us, double gpus, double elements) {
  return {us, [=](const Device& device) { return AllReduce(gpus, device).us(elements); }};
}

OperatorSample all_reduce_of_pairs_observation(double us, double gpus, double elements) {
  return {us, [=](Device device) {
            device.gpu.link_gpus = 2;
            return AllReduce(gpus, device).us(elements);
          }};
}

}  // namespace plimsoll
