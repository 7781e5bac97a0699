#include "cluster/instance_group.h"

#include <algorithm>
#include <cassert>

namespace plimsoll {

InstanceGroup::InstanceGroup(const Deployment& deployment, const SimulationOptions& options,
                             const Watch& watch, const Arrivals& arrivals, RequestTable& rows,
                             DepartureListener& listener, Progress& progress)
    : arrivals_(arrivals),
      listener_(listener),
      progress_(progress),
      one_clock_(watch.one_clock),
      seen_(watch.seen || !arrivals.react() || deployment.num_instances == 1),
      inboxes_(static_cast<std::size_t>(deployment.num_instances)),
      views_(deployment, watch.needs),
      schedule_(static_cast<std::size_t>(deployment.num_instances)) {
  for (std::size_t i = 0; i < inboxes_.size(); ++i) {
    Instance& instance = instances_.emplace_back(deployment.engine, *deployment.step_time,
                                                 options.semantics, options.horizon, rows);
    instance.set_log(options.engine_log, static_cast<std::int32_t>(i));
    if (options.prefixes_are_cached) instance.cache_prefixes();
    if (watch.needs.cached_blocks) instance.log_cache_changes();
    if (watch.departures) instance.watch();
  }
}

void InstanceGroup::hand_over(std::size_t index, Time at, const Request& request,
                              std::uint32_t row) {
  constexpr std::size_t kInbox = 64;
  inboxes_[index].emplace_back(at, request, row);
  if (one_clock_ || inboxes_[index].size() >= kInbox) deliver(index);
}

// Hands an instance the requests that were routed to it, each at its time.
void InstanceGroup::deliver(std::size_t index) {
  Instance& instance = instances_[index];
  for (const OnItsWay& next : inboxes_[index]) {
    for (Time now = instance.next_event(); now < next.at; now = instance.next_event()) {
      run_event_of(instance, index, now, next.at);
    }
    instance.inject(next.request, next.row, next.at);
  }
  inboxes_[index].clear();
  schedule_.set(index, next_of(instance));
}

bool InstanceGroup::run(Time before, Monitor* monitor) {
  if (!one_clock_) {
    for (std::size_t i = 0; i < inboxes_.size(); ++i) deliver(i);
  }
  if (arrivals_.react()) return run_until_follow_up(before, monitor);
  while (schedule_.earliest() < before) {
    const Time now = schedule_.earliest();
    progress_.now = std::max(progress_.now, now);
    const std::size_t index = schedule_.winner();
    Instance& instance = instances_[index];
    run_event_of(instance, index, now, before);
    schedule_.set(index, instance.next_event());
    if (!keep_going(monitor)) return false;
  }
  return true;
}

// An instance may run ahead of the others as far as none of them can bring it a request. Where
// nobody looks, it may fall behind until it may bring one.
bool InstanceGroup::run_until_follow_up(Time before, Monitor* monitor) {
  while (schedule_.earliest() < std::min(before, arrivals_.next())) {
    const std::size_t index = schedule_.winner();
    Instance& instance = instances_[index];
    const Time now = instance.next_event();
    progress_.now = std::max(progress_.now, now);
    schedule_.set(index, kNever);
    const Time others = schedule_.earliest();
    const Time soonest = others == kNever ? kNever : others + arrivals_.reaction_time();
    run_event_of(instance, index, now, std::min({before, arrivals_.next(), soonest}));
    schedule_.set(index, next_of(instance));
    if (!keep_going(monitor)) return false;
  }
  return true;
}

void InstanceGroup::catch_up(Time before) {
  for (std::size_t i = 0; i < instances_.size() && !seen_; ++i) {
    Instance& instance = instances_[i];
    for (Time now = instance.next_event(); now < before; now = instance.next_event()) {
      run_event_of(instance, i, now, before);
    }
    schedule_.set(i, next_of(instance));
  }
}

void InstanceGroup::run_event_of(Instance& instance, std::size_t index, Time now, Time before) {
  const std::int64_t left = instance.left();
  instance.run_next_event(now, before);
  count_departures(instance, index, instance.left() - left);
}

bool InstanceGroup::evict(std::size_t index, std::uint32_t row, Time now) {
  assert(inboxes_[index].empty());  // one clock: nothing waits to be handed over
  Instance& instance = instances_[index];
  if (!instance.evict(row, now)) return false;
  count_departures(instance, index, 1);
  schedule_.set(index, instance.next_event());
  return true;
}

void InstanceGroup::count_departures(Instance& instance, std::size_t index, std::int64_t left) {
  views_.left(index, left);
  views_.changed(index);
  progress_.finished += left;
  if (!instance.has_departures()) return;
  instance.take_departures(&departures_);
  for (const Departure& departure : departures_) listener_.departed(departure);
}

}  // namespace plimsoll
