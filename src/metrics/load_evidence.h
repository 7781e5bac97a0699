// The figures behind a verdict on what holds the system back: sums over requests and instances, and
// what follows from them.
#pragma once

#include <cstdint>
#include <iterator>
#include <optional>
#include <vector>

#include "cluster/deployment.h"
#include "engine/run_record.h"
#include "metrics/bottleneck.h"
#include "metrics/summary.h"

namespace plimsoll {

/// Sums over completed requests, in seconds (metrics/breakdown.h).
struct TimeSums {
  double gateway = 0;
  double queue = 0;
  double prefill = 0;
  double decode_wait = 0;
  double transfer = 0;
  double decode_queue = 0;
  double prefill_stall = 0;
  double decode = 0;
  double preemption = 0;
  double e2e = 0;
  double gaps = 0;  ///< number of them
};

TimeSums time_sums(const RequestTable& table);

/// Over instances.
struct WorkSums {
  std::int64_t busy_ns = 0;
  std::int64_t prompts_ns = 0;
  std::int64_t steps = 0;
  std::int64_t short_of_blocks = 0;
  std::int64_t short_of_places = 0;
  std::int64_t short_of_tokens = 0;
  std::int64_t short_of_turns = 0;
  std::int64_t max_num_seqs = 0;  ///< of the one that was short of them most often
  bool whole_prompts = false;
  std::int64_t total_kv_blocks = 0;  ///< of one
  std::int64_t prefill_tokens = 0;   ///< recomputation included
  double lone_decode_s = 0;          ///< each with the weight of the tokens that it decoded
  // Of the instances that decode.
  double decode_batch = 0;   ///< requests of a step
  double decode_step_s = 0;  ///< without what prompts add

  std::int64_t shortages() const {
    return short_of_blocks + short_of_places + short_of_tokens + short_of_turns;
  }
};

WorkSums work_sums(const std::vector<InstanceRecord>& instances);

/// Reads `record` and `summary`, which must outlive it; the summary has its figures and its
/// steady-state verdict already.
class LoadEvidence {
 public:
  LoadEvidence(const RunRecord& record, const Summary& summary, const Deployment& deployment);

  const Summary& summary;
  const GroupSummary& cluster;
  const Deployment& deployment;
  const TimeSums times;
  const WorkSums work;
  const std::int64_t prompt_tokens;         ///< of all that arrived
  const std::int64_t needed_prompt_tokens;  ///< of the completed, those that no cache had at first
  const double deepest_backlog;  ///< of prompt tokens, behind a bucket that refills in time; else 0
  const double too_slow_alone;   ///< share of requests (metrics/arrival_counts.h)
  const std::int64_t too_long_for_model;  ///< of those dropped, what no flag lets the model take

  std::int64_t instances() const { return std::ssize(summary.instances); }
  double completed() const { return static_cast<double>(cluster.completed); }
  /// These requests as a share of all that arrived.
  double share(std::int64_t requests) const { return ratio_or_zero(requests, summary.arrived); }
  /// This time as a share of that of completed requests.
  double time_share(double seconds) const { return ratio_or_zero(seconds, times.e2e); }

  bool overloaded() const {
    return summary.steady_state.verdict == SteadyVerdict::overloaded ||
           summary.steady_state.backlog_growth_rps > 0;
  }
  double mean_wait_s() const { return ratio_or_zero(times.queue, completed()); }
  double mean_step_s() const { return ratio_or_zero(work.busy_ns, work.steps) / 1e9; }
  /// The share of the time of all instances from start to end that prompts took.
  double prompt_work() const {
    return cluster.utilization * ratio_or_zero(work.prompts_ns, work.busy_ns);
  }
  double token_s() const { return ratio_or_zero(times.decode, times.gaps); }
  /// The decode step of a batch of that size, on the line through a request alone and the batches
  /// of this run.
  double decode_step_s(double batch) const;
  /// A token, in decode steps of a request alone.
  double slowness() const { return ratio_or_zero(token_s(), work.lone_decode_s); }
  double blocks_per_request() const {
    return ratio_or_zero(cluster.kv_utilization * static_cast<double>(work.total_kv_blocks),
                         cluster.mean_batch_size);
  }
  /// Requests that the KV cache of one instance has room for, with some left for fluctuation.
  double room() const;

  /// That refill a bucket in time: more than the prompt tokens that arrive.
  double ample_refill_per_s() const;

  bool preempts() const;
  bool queues() const;  ///< for longer than until the next batch
  /// Not in the mean, but first tokens that are late are late by the wait for a place or for
  /// memory.
  bool queues_at_times() const;
  bool computes_prompts() const;
  bool decodes_slowly() const;
  /// On average, or at times so that requests had to wait or lost their place.
  bool fills_memory() const;
  bool works_all_the_time() const;  ///< for tokens that are noticeably slower
  /// None of the four: an instance serves as if its requests were alone.
  bool instances_have_room() const {
    return !preempts() && !queues() && !computes_prompts() && !decodes_slowly();
  }
};

/// The lever of whatever lacks instances.
Because<Remedy> add_instances(const LoadEvidence& evidence);

/// Does something hold requests back before an instance works on them, or take them away from it?
/// Admission, routing, the gateway, and the deadlines of the requests. None: it is for the
/// instances to say.
std::optional<Limit> limit_before_instances(const LoadEvidence& evidence);

/// Where nothing else binds: what takes away few requests, but more than none. None: nothing does.
std::optional<Limit> limit_by_few_losses(const LoadEvidence& evidence);

}  // namespace plimsoll
