#include "cluster/gateway.h"

#include <algorithm>

namespace plimsoll {

GatewayQueue::Entry Gateway::enter(const Request& request, std::uint32_t row, Time now,
                                   const Labels& labels) {
  const RequestTags& tags = request.tags;
  const std::string tenant =
      tags.tenant < 0 ? std::string() : labels.tenants[static_cast<std::size_t>(tags.tenant)];
  const Duration target = tags.client < 0
                              ? Duration{}
                              : labels.clients[static_cast<std::size_t>(tags.client)].slo_target;
  auto entry = queue_.enter(request, row, now, tenant, target);
  ++record_.entered;
  if (!entry.accepted) ++record_.rejected;
  if (entry.victim) ++record_.shed;
  // The ticks date from the entry that finds none under way, even if its own look empties the
  // queue.
  if (entry.accepted && next_tick_ == kNever) next_tick_ = now + rules_.tick_interval;
  return entry;
}

std::optional<GatewayQueue::Waiting> Gateway::look(Time now, const InstanceViews& instances) {
  auto waiting = queue_.dispatch(signal_->saturation(instances));
  if (!waiting) return waiting;
  const Duration wait = now - waiting->entered;
  ++record_.dispatched;
  if (wait > Duration{}) ++record_.deferred;
  record_.total_wait += wait;
  record_.longest_wait = std::max(record_.longest_wait, wait);
  return waiting;
}

GatewayQueue::Waiting Gateway::expire() {
  ++record_.expired;
  return queue_.expire();
}

std::optional<std::uint32_t> Gateway::choose_eviction(const InstanceViews& instances) const {
  if (!rules_.in_flight_eviction || sheddable_.empty() || signal_->saturation(instances) < 1 ||
      !queue_.protected_request_waits()) {
    return std::nullopt;
  }
  return sheddable_.begin()->second;
}

void Gateway::note_eviction(std::uint32_t row) {
  ++record_.evicted;
  note_departure(row);
}

void Gateway::note_routed(const Request& request, std::uint32_t row) {
  if (!rules_.in_flight_eviction || !priorities_.sheddable(request.slo_class)) return;
  const Rank rank{priorities_.of(request.slo_class), -routed_++};
  sheddable_.emplace(rank, row);
  rank_of_.emplace(row, rank);
}

void Gateway::note_departure(std::uint32_t row) {
  const auto found = rank_of_.find(row);
  if (found == rank_of_.end()) return;
  sheddable_.erase(found->second);
  rank_of_.erase(found);
}

GatewayRecord Gateway::record() const {
  GatewayRecord record = record_;
  record.still_queued = queue_.size();
  return record;
}

}  // namespace plimsoll
