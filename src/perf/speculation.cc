#include "perf/speculation.h"

#include <algorithm>

namespace plimsoll {
namespace {

BatchShape decodes_of(const BatchShape& batch) {
  BatchShape decodes;
  decodes.decode_requests = batch.decode_requests;
  decodes.decode_context = batch.decode_context;
  return decodes;
}

BatchShape prompts_of(BatchShape batch) {
  batch.decode_requests = 0;
  batch.decode_context = 0;
  return batch;
}

class SpeculativeStepTime final : public StepTimeModel {
 public:
  SpeculativeStepTime(StepTimePtr target, StepTimePtr draft, const Speculation& speculation)
      : target_(std::move(target)),
        draft_(std::move(draft)),
        proposed_(speculation.tokens),
        tokens_(tokens_per_step(speculation)),
        draft_us_(speculation.draft_us_per_token) {}

  double step_us(const BatchShape& batch) const override {
    const bool prefills = batch.prefill_tokens > 0;
    if (batch.decode_requests == 0) {
      return target_->step_us(batch) + (draft_ && prefills ? draft_->step_us(batch) : 0);
    }
    const double verify = target_->step_us(verified(decodes_of(batch)));
    const double decode = (verify + propose_us(batch)) / tokens_;
    if (!prefills) return decode;
    const double prompts = target_->step_us(verified(batch)) - verify;
    return decode + std::max(0.0, prompts) + (draft_ ? draft_->step_us(prompts_of(batch)) : 0);
  }
  double queueing_us(std::int64_t input_tokens) const override {
    return target_->queueing_us(input_tokens);
  }
  double output_token_us() const override { return target_->output_token_us(); }
  double post_decode_us() const override { return target_->post_decode_us(); }

 private:
  // A request's rows read its context once: the sum stays as it is, each row adds itself to it.
  BatchShape verified(BatchShape batch) const {
    batch.decode_requests *= proposed_ + 1;
    return batch;
  }

  // One draft step after the other, each with a token more of every request.
  double propose_us(const BatchShape& batch) const {
    const auto steps = static_cast<double>(proposed_);
    if (!draft_) return steps * draft_us_;
    BatchShape middle = decodes_of(batch);
    middle.decode_context += middle.decode_requests * (proposed_ - 1) / 2;
    return steps * draft_->step_us(middle);
  }

  StepTimePtr target_;
  StepTimePtr draft_;
  std::int64_t proposed_;
  double tokens_;
  double draft_us_;
};

}  // namespace

double tokens_per_step(const Speculation& speculation) {
  double tokens = 1;
  double accepted = 1;
  for (std::int64_t i = 0; i < speculation.tokens; ++i) {
    accepted *= speculation.acceptance;
    tokens += accepted;
  }
  return tokens;
}

StepTimePtr make_speculative(StepTimePtr target, StepTimePtr draft,
                             const Speculation& speculation) {
  return std::make_shared<const SpeculativeStepTime>(std::move(target), std::move(draft),
                                                     speculation);
}

}  // namespace plimsoll
