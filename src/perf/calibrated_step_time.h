// A step-time model corrected by what was measured: what a calibration file makes of its base, and
// what an error band pushes through a simulation.
//
// What calibration adds to a latency model: a factor on its steps, a time per step, per decoding
// request and per prompt token, and the client's overhead of a request. Fitted to measurements by
// calibration/fit.h, kept in a calibration file (calibration_file.h), applied by
// calibrated_step_time.h.
#pragma once

#include <algorithm>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include "perf/step_time_model.h"

namespace plimsoll {

/// step = scale * base(batch) + step_us + decode_us * decoding requests + prefill_us * prompt
/// tokens; a request waits request_us + prompt_token_us * prompt tokens more before it is queued.
struct Correction {
  double scale = 1;
  double step_us = 0;
  double decode_us = 0;
  double prefill_us = 0;
  double request_us = 0;
  double prompt_token_us = 0;
};

struct CorrectionTerm {
  std::string_view name;
  double Correction::*field;
  std::string_view meaning;
  bool of_client = false;  ///< only a client's clock sees it
};

/// In the order in which files and reports have them; the first is the scale.
const std::vector<CorrectionTerm>& correction_terms();

/// Of the same engine seen from within.
Correction without_client(Correction correction);

class CalibratedStepTime final : public StepTimeModel {
 public:
  CalibratedStepTime(std::shared_ptr<const StepTimeModel> base, const Correction& correction)
      : base_(std::move(base)), correction_(correction) {}

  double step_us(const BatchShape& batch) const override {
    return corrected(base_->step_us(batch), added_us(batch.decode_requests, batch.prefill_tokens));
  }
  void decode_steps_us(std::int64_t requests, std::int64_t context,
                       std::span<double> us) const override {
    base_->decode_steps_us(requests, context, us);
    const double added = added_us(requests, 0);
    for (double& step : us) step = corrected(step, added);
  }
  double queueing_us(std::int64_t input_tokens) const override {
    const double client =
        correction_.request_us + correction_.prompt_token_us * static_cast<double>(input_tokens);
    return std::max(0.0, base_->queueing_us(input_tokens) + client);
  }
  double output_token_us() const override { return base_->output_token_us(); }
  double post_decode_us() const override { return base_->post_decode_us(); }

 private:
  double added_us(std::int64_t decode_requests, std::int64_t prefill_tokens) const {
    return correction_.step_us + correction_.decode_us * static_cast<double>(decode_requests) +
           correction_.prefill_us * static_cast<double>(prefill_tokens);
  }
  double corrected(double base_us, double added) const {
    return std::max(0.0, correction_.scale * base_us + added);
  }

  std::shared_ptr<const StepTimeModel> base_;
  Correction correction_;
};

/// The base of a law of its own: for engines of which nothing is known but what was measured.
class NoStepTime final : public StepTimeModel {
 public:
  double step_us(const BatchShape&) const override { return 0; }
  double queueing_us(std::int64_t) const override { return 0; }
  double output_token_us() const override { return 0; }
  double post_decode_us() const override { return 0; }
};

}  // namespace plimsoll
