#include "validation/host_time.h"

#include <cmath>

#include "base/numbers.h"

namespace plimsoll {
namespace {

// gpt-oss-120b on H100 and DeepSeek-R1 on B200 alike, under TensorRT-LLM 1.3.0rc1.
constexpr double kLaunchingMsPerLayer = 1.2;

class StepTimeWithHost final : public StepTimeModel {
 public:
  StepTimeWithHost(StepTimePtr base, const HostTime& host) : base_(std::move(base)), host_(host) {}

  double step_us(const BatchShape& batch) const override {
    return batch.requests() == 0 ? 0 : with_host_us(base_->step_us(batch));
  }
  void decode_steps_us(std::int64_t requests, std::int64_t context,
                       std::span<double> us) const override {
    base_->decode_steps_us(requests, context, us);
    for (double& step : us) step = with_host_us(step);
  }
  double ranks_us(std::span<const BatchShape> ranks) const override {
    return with_host_us(base_->ranks_us(ranks));
  }
  void decode_ranks_us(std::span<const BatchShape> ranks, std::span<double> us) const override {
    base_->decode_ranks_us(ranks, us);
    for (double& step : us) step = with_host_us(step);
  }
  double all_reduces_us(const BatchShape& batch) const override {
    return base_->all_reduces_us(batch);
  }
  double queueing_us(std::int64_t input_tokens) const override {
    return base_->queueing_us(input_tokens);
  }
  double output_token_us() const override { return base_->output_token_us(); }
  double post_decode_us() const override { return base_->post_decode_us(); }

 private:
  double with_host_us(double us) const {
    return std::sqrt(us * us + host_.launching_us * host_.launching_us) + host_.added_us;
  }

  const StepTimePtr base_;
  const HostTime host_;
};

}  // namespace

HostTime host_of(const PublishedSettings& published, const LatencyInputs& inputs) {
  const double steps = inputs.speculation ? tokens_per_step(*inputs.speculation) : 1;
  HostTime host;
  host.added_us = 1e3 * published.added_ms_per_step / steps;
  if (!published.cuda_graphs) {
    host.launching_us = 1e3 * kLaunchingMsPerLayer * as_double(inputs.model.layers) / steps;
  }
  return host;
}

StepTimePtr with_host(StepTimePtr base, const HostTime& host) {
  return std::make_shared<const StepTimeWithHost>(std::move(base), host);
}

}  // namespace plimsoll
