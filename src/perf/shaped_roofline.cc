#include "perf/shaped_roofline.h"

#include <algorithm>

#include "base/numbers.h"
#include "perf/architecture.h"
#include "perf/roofline.h"
#include "perf/shape_costs.h"

namespace plimsoll {
namespace {

class ShapedRoofline final : public StepTimeModel {
 public:
  ShapedRoofline(const ShapeCosts& costs, const GpuSpec& gpu)
      : costs_(costs), mfu_prefill_(gpu.mfu_prefill), mfu_decode_(gpu.mfu_decode) {}

  double step_us(const BatchShape& batch) const override;
  double queueing_us(std::int64_t) const override { return 0; }
  double output_token_us() const override { return 0; }
  double post_decode_us() const override { return 0; }

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

}  // namespace

Result<std::shared_ptr<const StepTimeModel>> make_shaped_roofline(const ModelConfig& model,
                                                                  const GpuSpec& gpu,
                                                                  const Parallelism& parallelism) {
  TRY(layout, checked_roofline_inputs(model, gpu, parallelism));
  return std::make_shared<const ShapedRoofline>(shape_costs(model, gpu, layout), gpu);
}

}  // namespace plimsoll
