// A step-time model whose steps all take so many times as long: what calibration corrects and what
// an error band pushes through a simulation.
#pragma once

#include <memory>

#include "perf/step_time_model.h"

namespace plimsoll {

class ScaledStepTime final : public StepTimeModel {
 public:
  ScaledStepTime(std::shared_ptr<const StepTimeModel> model, double factor)
      : model_(std::move(model)), factor_(factor) {}

  double step_us(const BatchShape& batch) const override {
    return factor_ * model_->step_us(batch);
  }
  void decode_steps_us(std::int64_t requests, std::int64_t context,
                       std::span<double> us) const override {
    model_->decode_steps_us(requests, context, us);
    for (double& step : us) step *= factor_;
  }
  double queueing_us(std::int64_t input_tokens) const override {
    return model_->queueing_us(input_tokens);
  }
  double output_token_us() const override { return model_->output_token_us(); }
  double post_decode_us() const override { return model_->post_decode_us(); }

 private:
  std::shared_ptr<const StepTimeModel> model_;
  double factor_;
};

}  // namespace plimsoll
