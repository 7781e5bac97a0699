#include "metrics/load_evidence.h"

#include <algorithm>
#include <numeric>

#include "metrics/bottleneck.h"
#include "metrics/breakdown.h"

namespace plimsoll {
namespace {

constexpr double kManyPreemptions = 0.01;  // per completed request
constexpr double kLongQueue = 0.10;        // share of the time of completed requests
constexpr double kLongWait = 2;            // mean wait in steps: below, it is for the next batch
constexpr double kBusy = 0.50;             // of the run
constexpr double kPromptWork = 0.50;       // of the run, spent on prompts
constexpr double kSlowDecode = 1.5;        // times a decode step of one request alone
constexpr double kUsableMemory = 0.90;     // of the KV blocks

TimeSums add_up(const RequestTable& table) {
  TimeSums t;
  for (std::size_t i = 0; i < table.size(); ++i) {
    if (!is_completed(table.outcome[i])) continue;
    const Breakdown b = breakdown_of(table, i);
    t.gateway += to_seconds(b.gateway);
    t.queue += to_seconds(b.queue);
    t.prefill += to_seconds(b.prefill);
    t.prefill_stall += to_seconds(b.prefill_stall);
    t.decode += to_seconds(b.decode);
    t.preemption += to_seconds(b.preemption);
    t.e2e += to_seconds(table.e2e[i]);
    t.gaps += static_cast<double>(table.itl_count[i]);
  }
  return t;
}

WorkSums add_up(const std::vector<InstanceRecord>& instances) {
  WorkSums w;
  std::int64_t worked = 0;
  for (const InstanceRecord& r : instances) {
    w.busy_ns += r.busy.ns;
    w.prompts_ns += r.prefill_work.ns;
    w.steps += r.steps;
    w.short_of_blocks += r.short_of_blocks;
    w.short_of_places += r.short_of_places;
    w.short_of_tokens += r.short_of_tokens;
    w.short_of_turns += r.short_of_turns;
    w.max_num_seqs = r.max_num_seqs;
    w.whole_prompts = r.whole_prompts;
    w.total_kv_blocks = r.total_kv_blocks;
    w.lone_decode_s += to_seconds(r.lone_decode_step);
    worked += r.steps > 0 ? 1 : 0;
  }
  w.lone_decode_s = ratio_or_zero(w.lone_decode_s, static_cast<double>(worked));
  return w;
}

}  // namespace

LoadEvidence::LoadEvidence(const RunRecord& record, const Summary& of, const Deployment& deployed)
    : summary(of),
      cluster(of.cluster),
      deployment(deployed),
      times(add_up(record.requests)),
      work(add_up(record.instances)),
      prompt_tokens(std::accumulate(record.requests.input_tokens.begin(),
                                    record.requests.input_tokens.end(), std::int64_t{0})) {}

double LoadEvidence::room() const {
  return ratio_or_zero(kUsableMemory * static_cast<double>(work.total_kv_blocks),
                       blocks_per_request());
}

Because<Remedy> add_instances(const LoadEvidence& evidence) {
  return {Remedy::add_instances, instances_that_may_hold(evidence.summary), evidence.instances()};
}

bool LoadEvidence::preempts() const {
  return static_cast<double>(cluster.preemptions) > kManyPreemptions * std::max(1.0, completed());
}

bool LoadEvidence::queues() const {
  return time_share(times.queue) > kLongQueue && mean_wait_s() > kLongWait * mean_step_s();
}

bool LoadEvidence::computes_prompts() const { return prompt_work() > kPromptWork; }

bool LoadEvidence::decodes_slowly() const {
  return cluster.utilization > kBusy && slowness() > kSlowDecode;
}

}  // namespace plimsoll
