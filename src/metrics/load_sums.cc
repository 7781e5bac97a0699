// The sums behind a verdict on what holds the system back.
#include <algorithm>

#include "metrics/breakdown.h"
#include "metrics/load_evidence.h"
#include "metrics/step_sums.h"

namespace plimsoll {

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
