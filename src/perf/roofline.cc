#include "perf/roofline.h"

#include <algorithm>

#include "base/numbers.h"
#include "perf/architecture.h"
#include "perf/shape_costs.h"

namespace plimsoll {
namespace {

// Computes the power by repeated squaring: the same bits on every machine, which libm's pow does
// not promise.
double whole_power(double base, std::int64_t exponent) {
  double result = 1;
  for (; exponent > 0; exponent /= 2) {
    if (exponent % 2 == 1) result *= base;
    base *= base;
  }
  return result;
}

class Roofline final : public StepTimeModel {
 public:
  Roofline(const Architecture& a, const GpuSpec& gpu, double tp);

  double step_us(const BatchShape& batch) const override;

 private:
  double experts_bytes(std::int64_t tokens) const;

  double flops_per_token_ = 0;  // projections, MLP, vector work linear in tokens
  double flops_per_token_context_ =
      0;                        // attention, for each pair of a token and what it attends to
  double bytes_per_token_ = 0;  // activations and KV written
  double bytes_per_context_token_ = 0;  // KV read
  double resident_weight_bytes_ = 0;    // read in every step, all but the experts
  double all_experts_bytes_ = 0;
  double idle_share_ = 0;  // of the experts, for one token
  double prefill_flops_per_s_ = 0;
  double decode_flops_per_s_ = 0;
  double bytes_per_s_ = 0;
};

Roofline::Roofline(const Architecture& a, const GpuSpec& gpu, double tp) {
  const double d = a.hidden;
  const double head_width = d / a.heads;
  const double kv = a.kv_heads * head_width;
  const double per_layer_weights = d * (d + 2 * kv) + d * d;

  const double projections = a.layers * (2 * (d * d + 2 * d * kv) + 2 * d * d);
  const double mlp = a.moe_layers * 2 * (2 * d * a.expert_ffn) * a.experts_per_token +
                     a.dense_layers * 2 * (2 * d * a.dense_ffn);
  flops_per_token_ = (projections + mlp + a.layers * 2 * d) / tp;
  flops_per_token_context_ = a.layers * (4 * a.heads * head_width + 5 * a.heads) / tp;

  const double kv_bytes = 2 * a.layers * kv * a.compute_bytes;
  bytes_per_token_ = (kv_bytes + a.layers * d * a.compute_bytes) / tp;
  bytes_per_context_token_ = kv_bytes / tp;

  const double weight = a.weight_bytes / tp;
  resident_weight_bytes_ =
      (a.layers * per_layer_weights + a.dense_layers * 2 * d * a.dense_ffn) * weight;
  if (a.moe) {
    all_experts_bytes_ = a.moe_layers * 2 * d * a.expert_ffn * a.experts * weight;
    idle_share_ = (a.experts - a.experts_per_token) / a.experts;
  }

  const double peak = peak_tflops(gpu, a.weight_bytes) * 1e12;
  prefill_flops_per_s_ = peak * gpu.mfu_prefill;
  decode_flops_per_s_ = peak * gpu.mfu_decode;
  bytes_per_s_ = gpu.memory_bandwidth_tb_s * 1e12;
}

// Expected bytes of the distinct experts that this many tokens touch, each choosing independently.
double Roofline::experts_bytes(std::int64_t tokens) const {
  if (all_experts_bytes_ == 0) return 0;
  return all_experts_bytes_ * (1 - whole_power(idle_share_, tokens));
}

double Roofline::step_us(const BatchShape& batch) const {
  if (batch.requests() == 0) return 0;
  const double prefill = as_double(batch.prefill_tokens);
  const double decode = as_double(batch.decode_requests);
  const double decode_context = as_double(batch.decode_context);
  // A chunk of n tokens after s attends to s + (n - 1) / 2 tokens on average.
  const double prefill_pairs = as_double(batch.prefill_tokens_context) +
                               as_double(batch.prefill_tokens_squared - batch.prefill_tokens) / 2;

  const double compute_s =
      (flops_per_token_ * prefill + flops_per_token_context_ * prefill_pairs) /
          prefill_flops_per_s_ +
      (flops_per_token_ * decode + flops_per_token_context_ * decode_context) / decode_flops_per_s_;
  const double context = prefill + as_double(batch.prefill_context) + decode + decode_context;
  const double bytes = resident_weight_bytes_ +
                       experts_bytes(batch.prefill_tokens + batch.decode_requests) +
                       (bytes_per_token_ - bytes_per_context_token_) * (prefill + decode) +
                       bytes_per_context_token_ * context;
  // To seconds, then to microseconds, as in the reference: about one decode step in 200,000 lasts a
  // whole number of microseconds, and any other order of rounding may miss it by one.
  return 1e6 * std::max(compute_s, bytes / bytes_per_s_);
}

class ShapedRoofline final : public StepTimeModel {
 public:
  ShapedRoofline(const ShapeCosts& costs, const GpuSpec& gpu)
      : costs_(costs), mfu_prefill_(gpu.mfu_prefill), mfu_decode_(gpu.mfu_decode) {}

  double step_us(const BatchShape& batch) const override;

 private:
  ShapeCosts costs_;
  double mfu_prefill_;
  double mfu_decode_;
};

double ShapedRoofline::step_us(const BatchShape& batch) const {
  if (batch.requests() == 0) return 0;
  const double prefill = as_double(batch.prefill_tokens);
  const double decode = as_double(batch.decode_requests);
  const double rows = as_double(batch.requests());
  // A chunk of n tokens after s attends to s + (n - 1) / 2 tokens on average.
  const double pairs = as_double(batch.prefill_tokens_context) +
                       as_double(batch.prefill_tokens_squared - batch.prefill_tokens) / 2;
  double prefill_us = costs_.compute_us_per_token * prefill;
  double decode_us = costs_.compute_us_per_token * decode + costs_.head_us_per_row * rows;
  double memory_us = costs_.weights_us + costs_.head_weights_us +
                     costs_.kv_write_us_per_token * (prefill + decode) +
                     costs_.state_us_per_request * rows;
  if (costs_.experts_us > 0) {
    const std::int64_t tokens = batch.prefill_tokens + batch.decode_requests;
    memory_us += costs_.experts_us * (1 - whole_power(costs_.idle_share, tokens));
  }
  for (const ContextCost& cost : costs_.contexts) {
    const Context context = within_reach(cost, batch, pairs);
    prefill_us += cost.prefill_us_per_pair * context.prefill_pairs;
    decode_us += cost.decode_us_per_pair * context.decode_read;
    memory_us += cost.read_us_per_token * (context.prefill_read + context.decode_read);
  }
  return std::max(prefill_us / mfu_prefill_ + decode_us / mfu_decode_, memory_us);
}

// The needs of any roofline: a GPU with rates and MFU figures, experts that add up, no data
// parallelism.
Result<Parallelism> checked_roofline_inputs(const ModelConfig& model, const GpuSpec& gpu,
                                            const Parallelism& parallelism) {
  TRY_TO(checked_model(model));
  TRY_TO(checked_gpu(gpu));
  if (!(gpu.mfu_prefill > 0) || !(gpu.mfu_decode > 0)) {
    return fail(ErrorKind::usage, "GPU " + gpu.name + " has no MFU figures");
  }
  auto layout = checked_parallelism(parallelism, model);
  if (layout && layout->dp > 1) {
    return fail(ErrorKind::usage, "the roofline latency model knows no data parallelism",
                "use --latency-model trained-physics");
  }
  return layout;
}

}  // namespace

Result<StepTimePtr> make_roofline(const ModelConfig& model, const GpuSpec& gpu,
                                  const Parallelism& parallelism) {
  TRY(architecture, architecture_of(model));
  TRY(layout, checked_roofline_inputs(model, gpu, parallelism));
  return std::make_shared<const Roofline>(architecture, gpu, as_double(layout.tp));
}

Result<StepTimePtr> make_shaped_roofline(const ModelConfig& model, const GpuSpec& gpu,
                                         const Parallelism& parallelism) {
  TRY(layout, checked_roofline_inputs(model, gpu, parallelism));
  return std::make_shared<const ShapedRoofline>(shape_costs(model, gpu, layout), gpu);
}

}  // namespace plimsoll
