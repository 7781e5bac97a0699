#include "perf/speculation.h"

#include <algorithm>
#include <cassert>

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
        proposed_(speculation.tokens()),
        tokens_(tokens_per_step(speculation)),
        draft_us_(speculation.draft_us_per_token) {}

  double step_us(const BatchShape& batch) const override {
    const auto priced = [&](const StepTimeModel& model, auto part) {
      return model.step_us(part(batch));
    };
    return step_of(priced, batch.decode_requests > 0, batch.prefill_tokens > 0);
  }
  double ranks_us(std::span<const BatchShape> ranks) const override {
    std::vector<BatchShape> parts(ranks.size());
    const auto priced = [&](const StepTimeModel& model, auto part) {
      std::ranges::transform(ranks, parts.begin(), part);
      return model.ranks_us(parts);
    };
    const auto any = [&](std::int64_t BatchShape::*count) {
      return std::ranges::any_of(ranks, [&](const BatchShape& rank) { return rank.*count > 0; });
    };
    return step_of(priced, any(&BatchShape::decode_requests), any(&BatchShape::prefill_tokens));
  }
  double queueing_us(std::int64_t input_tokens) const override {
    return target_->queueing_us(input_tokens);
  }
  double output_token_us() const override { return target_->output_token_us(); }
  double post_decode_us() const override { return target_->post_decode_us(); }

 private:
  // `priced` gives the time of a model for a part of the batch, or of the batches of all ranks.
  template <class Priced>
  double step_of(const Priced& priced, bool decodes, bool prefills) const {
    const auto whole = [](const BatchShape& batch) { return batch; };
    if (!decodes)
      return priced(*target_, whole) + (draft_ && prefills ? priced(*draft_, whole) : 0);
    const auto verified_decodes = [this](const BatchShape& b) { return verified(decodes_of(b)); };
    const double verify = priced(*target_, verified_decodes);
    const double decode = (verify + propose_us(priced)) / tokens_;
    if (!prefills) return decode;
    const auto verified_all = [this](const BatchShape& b) { return verified(b); };
    const double prompts = priced(*target_, verified_all) - verify;
    return decode + std::max(0.0, prompts) + (draft_ ? priced(*draft_, prompts_of) : 0);
  }

  // A request's rows read its context once: the sum stays as it is, each row adds itself to it.
  BatchShape verified(BatchShape batch) const {
    batch.decode_requests *= proposed_ + 1;
    return batch;
  }

  // One draft step after the other, each with a token more of every request.
  template <class Priced>
  double propose_us(const Priced& priced) const {
    const auto steps = static_cast<double>(proposed_);
    if (!draft_) return steps * draft_us_;
    const auto middle = [this](const BatchShape& batch) {
      BatchShape decodes = decodes_of(batch);
      decodes.decode_context += decodes.decode_requests * (proposed_ - 1) / 2;
      return decodes;
    };
    return steps * priced(*draft_, middle);
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
  for (const double rate : speculation.acceptance) {
    accepted *= rate;
    tokens += accepted;
  }
  return tokens;
}

std::vector<double> acceptance_of(std::span<const double> measured, std::int64_t drafts) {
  assert(drafts >= 1 && drafts <= std::ssize(measured));
  std::vector<double> tokens{1};
  for (const double yielded : measured.first(static_cast<std::size_t>(drafts)))
    tokens.push_back(std::min(yielded, measured[static_cast<std::size_t>(drafts - 1)]));
  std::vector<double> rates;
  double before = 1;  // chance that the draft before was reached and accepted
  for (std::size_t at = 0; at + 1 < tokens.size();) {
    const auto slope_to = [&](std::size_t end) {
      return (tokens[end] - tokens[at]) / static_cast<double>(end - at);
    };
    std::size_t steepest = at + 1;
    for (std::size_t end = at + 2; end < tokens.size(); ++end) {
      if (slope_to(end) >= slope_to(steepest)) steepest = end;
    }
    const double accepted = std::min(slope_to(steepest), before);
    for (; at < steepest; ++at) {
      rates.push_back(before > 0 ? accepted / before : 0);
      before = accepted;
    }
  }
  return rates;
}

StepTimePtr make_speculative(StepTimePtr target, StepTimePtr draft,
                             const Speculation& speculation) {
  return std::make_shared<const SpeculativeStepTime>(std::move(target), std::move(draft),
                                                     speculation);
}

}  // namespace plimsoll
