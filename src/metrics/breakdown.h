// Where the time of a request went. The parts of a completed request add up to its E2E latency, to
// the nanosecond, in both semantics; none is negative.
#pragma once

#include <cstddef>

#include "base/units.h"
#include "engine/run_record.h"

namespace plimsoll {

/// In the order of a request's life. Several attempts: a preempted request is admitted again.
struct Breakdown {
  /// Arrival at the cluster to entry into the wait queue of its instance: admission, routing, and
  /// the fixed overhead that the step-time model has for it.
  Duration gateway;
  /// From there to the first time it was put in a batch.
  Duration queue;
  /// From the admission of the attempt that gave the first token to that token: the rest of the
  /// step that was running, the steps with its prompt, the overhead of output.
  Duration prefill;
  // Where its prompt was computed by one instance and it was answered by another:
  /// From the end of the prefill, whose token is not counted to it then, until there was room for
  /// its KV blocks where the answer comes from.
  Duration decode_wait;
  /// From there until they had arrived.
  Duration transfer;
  /// From there to its first place in a batch of the instance that answers.
  Duration decode_queue;
  /// The time that the prompts of others cost it after that: of a step that gave it a token what it
  /// took longer, because it also computed prompts, than the decodes in it alone would have taken;
  /// steps of prompts alone wholly.
  Duration prefill_stall;
  /// The rest of the steps that gave it a token, steps that had one for others but not for it, and
  /// the overheads of output.
  Duration decode;
  /// The time that preemption cost: before the first token, from the first admission to that of the
  /// attempt that gave it; afterwards, each gap between two tokens in which it had lost its place.
  Duration preemption;

  /// Between the two instances.
  Duration handoff() const { return decode_wait + transfer + decode_queue; }
  Duration total() const {
    return gateway + queue + prefill + handoff() + prefill_stall + decode + preemption;
  }
};

/// Breakdown::queue, of any request that was ever put in a batch; else kNoDuration.
inline Duration queue_time_of(const RequestTable& table, std::size_t row) {
  if (table.scheduling_delay[row] == kNoDuration) return kNoDuration;
  const PhaseTimes& phases = table.phases[row];
  const Duration in_instance = table.scheduling_delay[row] - phases.gateway;
  return table.delay_to_last_admission ? in_instance - phases.preemption : in_instance;
}

/// All zero unless the request completed.
inline Breakdown breakdown_of(const RequestTable& table, std::size_t row) {
  Breakdown b;
  if (!is_completed(table.outcome[row])) return b;
  const PhaseTimes& phases = table.phases[row];
  b.gateway = phases.gateway;
  b.queue = queue_time_of(table, row);
  b.prefill = phases.prefill;
  const HandoffTimes handoff = table.handoff[row];
  b.decode_wait = handoff.wait;
  b.transfer = handoff.transfer;
  b.decode_queue = handoff.queue;
  b.prefill_stall = phases.prefill_stall;
  b.preemption = phases.preemption;
  b.decode = table.e2e[row] - b.total();
  return b;
}

}  // namespace plimsoll
