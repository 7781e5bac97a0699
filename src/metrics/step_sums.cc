#include "metrics/step_sums.h"

#include <algorithm>
#include <limits>

namespace plimsoll {

void StepSums::add(const InstanceRecord& instance) {
  const auto decoded = static_cast<double>(instance.decode_tokens);
  prompts_s += to_seconds(instance.prefill_work);
  decodes_s += to_seconds(instance.busy - instance.prefill_work);
  prompt_tokens += static_cast<double>(instance.prefill_tokens);
  decode_tokens += decoded;
  count += static_cast<double>(instance.steps);
  lone_s += to_seconds(instance.lone_decode_step) * decoded;
  places = std::max(places, static_cast<double>(instance.max_num_seqs));
}

double StepSums::per_prompt_token_s() const { return ratio_or_zero(prompts_s, prompt_tokens); }

double StepSums::per_decode_token_s() const { return ratio_or_zero(decodes_s, decode_tokens); }

double StepSums::per_decode_token_s(double batch) const {
  const double lone = ratio_or_zero(lone_s, decode_tokens);
  const double by_one_more =
      std::max(0.0, ratio_or_zero(ratio_or_zero(decodes_s, count) - lone, this->batch() - 1));
  return ratio_or_zero(lone + by_one_more * (batch - 1), batch);
}

double StepSums::batch() const { return ratio_or_zero(decode_tokens, count); }

double room_to_grow(const InstanceRecord& instance, const GroupSummary& figures,
                    std::int64_t step_tokens) {
  if (instance.steps == 0) return 1;
  const auto times = [](double most, double now) {
    return now > 0 ? most / now : std::numeric_limits<double>::infinity();
  };
  double room = std::min(times(static_cast<double>(instance.max_num_seqs), figures.mean_batch_size),
                         times(1, figures.kv_utilization));
  const bool mixes = instance.prefill_busy > instance.prefill_work;
  if (mixes && step_tokens > 0) {
    const auto tokens = static_cast<double>(instance.prefill_tokens + instance.decode_tokens);
    room = std::min(room, times(static_cast<double>(step_tokens),
                                tokens / static_cast<double>(instance.steps)));
  }
  return std::max(1.0, room);
}

double full_decodes_s(const InstanceRecord& instance, const GroupSummary& figures,
                      std::int64_t step_tokens) {
  StepSums sums;
  sums.add(instance);
  const double batch = sums.batch() * room_to_grow(instance, figures, step_tokens);
  return std::min(sums.decodes_s, sums.decode_tokens * sums.per_decode_token_s(batch));
}

}  // namespace plimsoll
