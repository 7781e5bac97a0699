#include "metrics/breakdown.h"

namespace plimsoll {

Breakdown breakdown_of(const RequestTable& table, std::size_t row) {
  Breakdown b;
  if (!is_completed(table.outcome[row])) return b;
  const PhaseTimes& phases = table.phases[row];
  b.gateway = phases.gateway;
  b.queue = table.scheduling_delay[row] - b.gateway;
  if (table.delay_to_last_admission) b.queue -= phases.preemption;
  b.prefill = phases.prefill;
  b.prefill_stall = phases.prefill_stall;
  b.preemption = phases.preemption;
  b.decode = table.e2e[row] - b.gateway - b.queue - b.prefill - b.prefill_stall - b.preemption;
  return b;
}

}  // namespace plimsoll
