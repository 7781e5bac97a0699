#include "cluster/instance_group.h"

#include <cassert>
#include <utility>

#include "base/numbers.h"
#include "base/parallel.h"

namespace plimsoll {
InstanceGroup::InstanceGroup(const Deployment& deployment, const SimulationOptions& options,
                             const Watch& watch, Arrivals& arrivals, RequestTable& rows,
                             DepartureListener& listener, Progress& progress)
    : arrivals_(arrivals),
      rows_(rows),
      listener_(listener),
      progress_(progress),
      one_clock_(watch.one_clock || deployment.splits()),
      seen_(watch.seen || deployment.splits() || !arrivals.react() ||
            deployment.num_instances() == 1),
      prefills_(deployment.num_prefill_instances()),
      answers_lag_(prefills_ > 0 && !watch.seen && !arrivals.react() &&
                   options.engine_log == nullptr),
      follows_changes_(watch.needs.any() || watch.needs_prefills.any()),
      threads_(one_clock_ || watch.seen || options.engine_log != nullptr
                   ? 1
                   : std::min(options.threads, as_size(deployment.num_instances()))),
      inboxes_(as_size(deployment.num_instances())),
      left_(inboxes_.size()),
      schedule_(inboxes_.size()),
      prompts_(inboxes_.size()) {
  for (const Pool& pool : deployment.pools) {
    const ViewNeeds& needs = pool.answers() ? watch.needs : watch.needs_prefills;
    for (std::int32_t i = 0; i < pool.num_instances; ++i) {
      const auto index = static_cast<std::int32_t>(instances_.size());
      RequestTable& written = threads_ > 1 ? active_.emplace_back().table() : rows;
      Ranks& instance = instances_.emplace_back(pool.engine, pool.ranks, *pool.step_time,
                                                options.semantics, options.horizon, written);
      rows.delay_to_last_admission = written.delay_to_last_admission;
      instance.set_log(options.engine_log, index);
      if (options.prefixes_are_cached) instance.cache_prefixes();
      if (needs.cached_blocks) instance.log_cache_changes();
      if (watch.departures) instance.watch();
    }
  }
  const auto see = [&](Side side, const ViewNeeds& needs, std::size_t first, std::size_t end) {
    std::vector<Ranks*> seen;
    for (std::size_t i = first; i < end; ++i) seen.push_back(&instances_[i]);
    views_.emplace_back(part_of(deployment, side), needs, std::move(seen), first);
  };
  see(Side::answers, watch.needs, prefills_, instances_.size());
  if (prefills_ > 0) see(Side::prefills, watch.needs_prefills, 0, prefills_);
}

void InstanceGroup::hand_over(std::size_t index, Time at, const Request& request, std::uint32_t row,
                              Part part) {
  constexpr std::size_t kInbox = 64;
  constexpr std::size_t kAtOnce = 16384;  // of each thread: caches move with the instances
  if (part != Part::whole) {              // all instances have come to this time
    instances_[index].inject(request, row, at, part);
    return touched(index);
  }
  inboxes_[index].emplace_back(at, request, row);
  if (threads_ > 1) {
    if (++undelivered_ >= std::max(kInbox * inboxes_.size(), kAtOnce * threads_)) {
      on_all_threads([](std::size_t) {});
    }
  } else if (one_clock_ || inboxes_[index].size() >= kInbox) {
    deliver(index);
  }
}

void InstanceGroup::deliver(std::size_t index) {
  take_in(index);
  count_departures(instances_[index], index);
  reschedule(index);
}

// Hands an instance the requests that were routed to it, each at its time.
void InstanceGroup::take_in(std::size_t index) {
  Ranks& instance = instances_[index];
  for (const OnItsWay& next : inboxes_[index]) {
    for (Time now = instance.next_event(); now < next.at; now = instance.next_event()) {
      instance.run_next_event(now, next.at);
    }
    const std::uint32_t row = threads_ > 1 ? active_[index].open(next.row) : next.row;
    instance.inject(next.request, row, next.at);
  }
  inboxes_[index].clear();
}

// Delivers all requests, and does what `work` has for each instance after it. Meanwhile the record
// is written, and the next requests are made.
template <class Work>
void InstanceGroup::on_all_threads(const Work& work) {
  const std::size_t size = instances_.size();
  const std::size_t shares = std::min(size, 4 * threads_);
  const std::size_t next = std::exchange(undelivered_, 0);
  for (ActiveRows& rows : active_) rows.hand_in();
  for_each_in_parallel(shares + 1, threads_, [&](std::size_t i) {
    if (i == 0) {
      for (ActiveRows& rows : active_) rows.write_ended(&rows_);
      return arrivals_.read_ahead(next);
    }
    for (std::size_t index = (i - 1) * size / shares; index < i * size / shares; ++index) {
      take_in(index);
      work(index);
      active_[index].collect();
    }
  });
  for (std::size_t index = 0; index < size; ++index) {
    count_departures(instances_[index], index);
    reschedule(index);
  }
}

void InstanceGroup::reschedule(std::size_t index) {
  const Time next = next_of(index);
  schedule_.set(index, next);
  if (prefills_ > 0)
    prompts_.set(index, index < prefills_ ? next : instances_[index].next_freed_prompt());
}

bool InstanceGroup::run(Time before, Monitor* monitor) {
  if (threads_ > 1) return run_on_threads(before, monitor);
  if (!one_clock_) {
    for (std::size_t i = 0; i < inboxes_.size(); ++i) deliver(i);
  }
  if (arrivals_.react() || prefills_ > 0) return run_until_disturbed(before, monitor);
  while (schedule_.earliest() < before) {
    const Time now = schedule_.earliest();
    progress_.now = std::max(progress_.now, now);
    const std::size_t index = schedule_.winner();
    Ranks& instance = instances_[index];
    run_event_of(instance, index, now, before);
    schedule_.set(index, instance.next_event());
    if (!keep_going(monitor)) return false;
  }
  return true;
}

bool InstanceGroup::run_on_threads(Time before, Monitor* monitor) {
  constexpr int kMostEvents = 1024;  // of each instance, between two looks of the monitor
  std::vector<Time> reached(instances_.size());
  while (undelivered_ > 0 || schedule_.earliest() < before) {
    on_all_threads([&](std::size_t index) {
      Ranks& instance = instances_[index];
      Time now = instance.next_event();
      for (int events = 0; now < before && events < kMostEvents; ++events) {
        reached[index] = now;
        instance.run_next_event(now, before);
        now = instance.next_event();
      }
    });
    progress_.now = std::max(progress_.now, std::ranges::max(reached));
    if (monitor != nullptr && !monitor->keep_going(progress_)) return false;
  }
  return true;
}

// An instance may run ahead of the others as far as none of them can bring it a request or a
// prompt: one that it computed, or one whose turn comes because it frees what others hold for it.
// Where nobody looks, it may fall behind until it may bring one, and those that answer until a
// prompt reaches them.
bool InstanceGroup::run_until_disturbed(Time before, Monitor* monitor) {
  const Duration reaction = arrivals_.reaction_time();
  for (;;) {
    Time end = before;
    if (arrivals_.react()) end = std::min(end, arrivals_.next());
    if (prefills_ > 0) end = std::min(end, listener_.next_transfer());
    if (schedule_.earliest() >= end) return true;
    const std::size_t index = schedule_.winner();
    Ranks& instance = instances_[index];
    const Time now = instance.next_event();
    progress_.now = std::max(progress_.now, now);
    schedule_.set(index, kNever);
    const Time others = schedule_.earliest();
    if (arrivals_.react() && others != kNever) end = std::min(end, others + reaction);
    if (prefills_ > 0) {
      prompts_.set(index, kNever);
      end = std::min(end, prompts_.earliest());
    }
    run_event_of(instance, index, now, end);
    reschedule(index);
    if (prefills_ > 0) relay(index, now);
    if (!keep_going(monitor)) return false;
  }
}

void InstanceGroup::catch_up(Time before) {
  if (seen_ && !answers_lag_) return;
  for (std::size_t i = 0; i < instances_.size(); ++i) {
    catch_up(i, before);
    // Of those that lag there may be more to come, too.
    schedule_.set(i, answers_lag_ ? instances_[i].next_event() : next_of(i));
  }
}

void InstanceGroup::catch_up(std::size_t index, Time before) {
  Ranks& instance = instances_[index];
  for (Time now = instance.next_event(); now < before; now = instance.next_event()) {
    run_event_of(instance, index, now, before);
  }
}

void InstanceGroup::run_event_of(Ranks& instance, std::size_t index, Time now, Time before) {
  instance.run_next_event(now, before);
  count_departures(instance, index);
}

bool InstanceGroup::evict(std::size_t index, std::uint32_t row, Time now) {
  assert(inboxes_[index].empty());  // one clock: nothing waits to be handed over
  Ranks& instance = instances_[index];
  if (!instance.evict(row, now)) return false;
  count_departures(instance, index);
  reschedule(index);
  if (prefills_ > 0) relay(index, now);
  return true;
}

Ranks::Slot InstanceGroup::expect_prompt(std::size_t index, const Request& request,
                                         std::uint32_t row, Time token, bool client_has_token,
                                         Time now) {
  if (answers_lag_) catch_up(index, now);
  Ranks& instance = instances_[index];
  const Ranks::Slot slot = instance.expect_prompt(request, row, token, client_has_token, now);
  count_departures(instance, index);
  reschedule(index);
  return slot;
}

void InstanceGroup::prompt_arrived(std::size_t index, Ranks::Slot slot, Time now) {
  if (answers_lag_) catch_up(index, now);
  instances_[index].prompt_arrived(slot, now);
  touched(index);
}

void InstanceGroup::release_prompt(std::size_t index, Ranks::Slot slot, Time now) {
  instances_[index].release_prompt(slot, now);
  touched(index);
}

void InstanceGroup::touched(std::size_t index) {
  ViewKeeper& views = this->views(side_of(index));
  views.changed(index - views.views().first);
  reschedule(index);
}

void InstanceGroup::relay(std::size_t index, Time now) {
  std::vector<HandoffNotice> notices;
  while (instances_[index].has_handoffs()) {
    instances_[index].take_handoffs(&notices);
    listener_.handed_over(notices, now);
  }
}

void InstanceGroup::count_departures(Ranks& instance, std::size_t index) {
  const std::int64_t left = instance.left() - left_[index];
  left_[index] += left;
  if (left > 0 || follows_changes_) {
    ViewKeeper& views = this->views(side_of(index));
    views.left(index - views.views().first, left);
    views.changed(index - views.views().first);
    progress_.finished += left;
  }
  if (!instance.has_departures()) return;
  instance.take_departures(&departures_);
  for (const Departure& departure : departures_) listener_.departed(departure);
}

}  // namespace plimsoll
