// A step-time model for tests: a sum of everything a model may look at, each times a factor of its
// own, so that a wrong sum in a BatchShape shows in the times.
#pragma once

#include <cstdint>
#include <span>

#include "perf/step_time_model.h"

namespace plimsoll::reference {

/// All factors in microseconds. The defaults are those of the reference's "blackbox" model.
struct LinearModel final : StepTimeModel {
  double step = 1000;
  double per_prefill_token = 10;
  double per_decode_request = 100;
  double per_prefill_request = 0;
  double per_prefill_context = 0;
  double per_prefill_token_context = 0;
  double per_prefill_token_squared = 0;
  double per_prefill_token_input = 0;
  double per_decode_context = 0;
  double per_token_of_ranks = 0;  ///< of all ranks, where there are several

  double queueing = 0;
  double queueing_per_input_token = 0;
  double output_token = 0;
  double post_decode = 0;

  double step_us(const BatchShape& batch) const override {
    return step + per_prefill_token * static_cast<double>(batch.prefill_tokens) +
           per_decode_request * static_cast<double>(batch.decode_requests) +
           per_prefill_request * static_cast<double>(batch.prefill_requests) +
           per_prefill_context * static_cast<double>(batch.prefill_context) +
           per_prefill_token_context * static_cast<double>(batch.prefill_tokens_context) +
           per_prefill_token_squared * static_cast<double>(batch.prefill_tokens_squared) +
           per_prefill_token_input * static_cast<double>(batch.prefill_tokens_input) +
           per_decode_context * static_cast<double>(batch.decode_context);
  }
  double ranks_us(std::span<const BatchShape> ranks) const override {
    std::int64_t tokens = 0;
    for (const BatchShape& rank : ranks) tokens += rank.prefill_tokens + rank.decode_requests;
    return StepTimeModel::ranks_us(ranks) + per_token_of_ranks * static_cast<double>(tokens);
  }
  double queueing_us(std::int64_t input_tokens) const override {
    return queueing + queueing_per_input_token * static_cast<double>(input_tokens);
  }
  double output_token_us() const override { return output_token; }
  double post_decode_us() const override { return post_decode; }
};

}  // namespace plimsoll::reference
