// What the steps of instances took, of prompts and of answers, and how large their batches can
// become.
#pragma once

#include <cstdint>

#include "engine/run_record.h"
#include "metrics/group_summary.h"
#include "metrics/latency.h"

namespace plimsoll {

/// Over instances. Times in seconds of one instance.
struct StepSums {
  double prompts_s = 0;  ///< what prompts added to steps
  double decodes_s = 0;  ///< the rest
  double prompt_tokens = 0;
  double decode_tokens = 0;
  double count = 0;
  double lone_s = 0;  ///< a decode step of one request, summed over decode_tokens
  double places = 0;  ///< of the instance that has most

  void add(const InstanceRecord& instance);

  double per_prompt_token_s() const { return ratio_or_zero(prompts_s, prompt_tokens); }
  double per_decode_token_s() const { return ratio_or_zero(decodes_s, decode_tokens); }
  /// Likewise in batches of that size, on the line through a request alone and the batches of the
  /// run.
  double per_decode_token_s(double batch) const;
  /// Requests that decode in a step.
  double batch() const { return ratio_or_zero(decode_tokens, count); }
};

/// How many times as large the batches of an instance can become with requests like those it had:
/// until all places or KV blocks are taken or, where steps mix prompts and answers, until each step
/// has all the tokens it may have (`step_tokens`; 0: no limit). At least 1.
double room_to_grow(const InstanceRecord& instance, const GroupSummary& figures,
                    std::int64_t step_tokens);

/// What its decodes would have taken in batches as large as they can become; at most what they
/// took.
double full_decodes_s(const InstanceRecord& instance, const GroupSummary& figures,
                      std::int64_t step_tokens);

}  // namespace plimsoll
