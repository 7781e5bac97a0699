#include "metrics/step_sums.h"

#include <algorithm>
#include <limits>

#include "metrics/breakdown.h"
#include "metrics/load_evidence.h"

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

double StepSums::per_decode_token_s(double batch) const {
  const double lone = ratio_or_zero(lone_s, decode_tokens);
  const double by_one_more =
      std::max(0.0, ratio_or_zero(ratio_or_zero(decodes_s, count) - lone, this->batch() - 1));
  return ratio_or_zero(lone + by_one_more * (batch - 1), batch);
}

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

// The sums behind a verdict on what holds the system back.

TimeSums time_sums(const RequestTable& table) {
  TimeSums t;
  for (std::size_t i = 0; i < table.size(); ++i) {
    if (!is_completed(table.outcome[i])) continue;
    const Breakdown b = breakdown_of(table, i);
    t.gateway += to_seconds(b.gateway);
    t.queue += to_seconds(b.queue);
    t.prefill += to_seconds(b.prefill);
    t.decode_wait += to_seconds(b.decode_wait);
    t.transfer += to_seconds(b.transfer);
    t.decode_queue += to_seconds(b.decode_queue);
    t.prefill_stall += to_seconds(b.prefill_stall);
    t.decode += to_seconds(b.decode);
    t.preemption += to_seconds(b.preemption);
    t.e2e += to_seconds(table.e2e[i]);
    t.gaps += static_cast<double>(table.itl_count[i]);
  }
  return t;
}

WorkSums work_sums(const std::vector<InstanceRecord>& instances) {
  WorkSums w;
  StepSums decoding;
  std::int64_t decoding_request_steps = 0;
  std::int64_t most_short = -1;
  for (const InstanceRecord& r : instances) {
    w.busy_ns += r.busy.ns;
    w.prompts_ns += r.prefill_work.ns;
    w.steps += r.steps;
    w.short_of_blocks += r.short_of_blocks;
    w.short_of_places += r.short_of_places;
    w.short_of_tokens += r.short_of_tokens;
    w.short_of_turns += r.short_of_turns;
    if (r.short_of_places > most_short) w.max_num_seqs = r.max_num_seqs;
    most_short = std::max(most_short, r.short_of_places);
    w.whole_prompts = r.whole_prompts;
    w.total_kv_blocks = r.total_kv_blocks;
    w.prefill_tokens += r.prefill_tokens;
    if (r.decode_tokens == 0) continue;
    decoding.add(r);
    decoding_request_steps += r.batch_request_steps;
  }
  w.lone_decode_s = ratio_or_zero(decoding.lone_s, decoding.decode_tokens);
  w.decode_batch = ratio_or_zero(static_cast<double>(decoding_request_steps), decoding.count);
  w.decode_step_s = ratio_or_zero(decoding.decodes_s, decoding.count);
  return w;
}

}  // namespace plimsoll
