#include "cluster/simulation.h"

#include <algorithm>
#include <deque>
#include <functional>
#include <new>
#include <optional>
#include <queue>
#include <utility>
#include <vector>

#include "base/fifo.h"
#include "base/memory.h"
#include "base/text.h"
#include "cluster/admission.h"
#include "cluster/gateway.h"
#include "cluster/router.h"
#include "cluster/tenant_budgets.h"
#include "cluster/tournament.h"
#include "cluster/view_keeper.h"
#include "engine/instance.h"

namespace plimsoll {
namespace {

constexpr std::int64_t kEventsPerPoll = 1024;
constexpr std::size_t kInbox = 64;

// A request between its arrival at the cluster and its instance.
struct OnItsWay {
  OnItsWay(Time when, const Request& what, std::uint32_t where)
      : at(when), request(what), row(where) {}

  Time at;
  Request request;
  std::uint32_t row;
};

struct FollowUp {
  Request request;
  std::int64_t order;

  bool operator>(const FollowUp& other) const {
    return std::pair(request.arrival, order) > std::pair(other.request.arrival, other.order);
  }
};

}  // namespace

// Cluster events run before instance events of the same time; among themselves an arrival before an
// admission decision before a routing decision. Latencies are constant, so each kind is a queue.
class Simulation::Impl {
 public:
  Impl(const Deployment& deployment, RequestSource& source, const SimulationOptions& options)
      : deployment_(deployment),
        source_(source),
        horizon_(options.horizon),
        budgets_(deployment, source),
        admission_(make_admission(deployment.admission, deployment.engine.priorities)),
        router_(make_router(deployment, options.seed)),
        decision_log_(options.decision_log),
        needs_(router_->needs() | admission_->needs() | needs_of(deployment.flow_control) |
               (decision_log_ == nullptr ? ViewNeeds{} : decision_log_->needs())),
        watched_(budgets_.any() || deployment.flow_control.in_flight_eviction),
        one_clock_(needs_.in_flight || watched_ || source.reacts()),
        arrival_log_(options.arrival_log),
        inboxes_(static_cast<std::size_t>(deployment.num_instances)),
        views_(deployment, needs_),
        schedule_(static_cast<std::size_t>(deployment.num_instances)) {
    record_.horizon = options.horizon;
    for (std::size_t i = 0; i < inboxes_.size(); ++i) {
      instances_.emplace_back(deployment_.engine, *deployment_.step_time, options.semantics,
                              options.horizon, record_.requests);
      instances_.back().set_log(options.engine_log, static_cast<std::int32_t>(i));
      if (options.prefixes_are_cached) instances_.back().cache_prefixes();
      if (needs_.cached_blocks) instances_.back().log_cache_changes();
    }
    if (deployment.flow_control.enabled) {
      gateway_.emplace(deployment.flow_control, deployment.engine.priorities, options.semantics);
    }
    if (watched_) {
      for (Instance& instance : instances_) instance.watch();
    }
    pull();
  }

  bool advance(const AdvanceLimit& limit, Monitor* monitor) {
    const Time last = std::min(limit.time, horizon_);
    for (;;) {
      const Time cluster = next_cluster_event();
      const bool full = arrives(cluster) && progress_.arrived >= limit.requests;
      const bool stop = cluster == kNever || cluster > last || full;
      // Instances affect each other only through the router and follow-ups: until one of those
      // looks, each instance gets its requests in batches and runs for long stretches while it is
      // in the processor's cache.
      if (stop || one_clock_ || copies_views_at(cluster)) {
        const Time before = cluster <= last ? cluster : just_after(last);
        if (!run_instances(before, monitor)) return false;
        if (next_cluster_event() < cluster) continue;  // a follow-up
      }
      if (stop) return (cluster == kNever || cluster > horizon_) && schedule_.earliest() == kNever;
      progress_.now = cluster;
      run_cluster_event(cluster);
      if (!keep_going(monitor)) {
        run_instances(cluster, nullptr);
        return false;
      }
    }
  }

  const Progress& progress() const { return progress_; }

  RunRecord record() const {
    RunRecord record = record_;
    add_instances(record);
    return record;
  }

  ItlHistogram gaps() const {
    ItlHistogram all;
    for (const Instance& instance : instances_) all.merge(instance.record().itl);
    return all;
  }

  RunRecord take_record() {
    add_instances(record_);
    return std::move(record_);
  }

 private:
  void pull() {
    next_new_ = {};
    if (!source_.next(&next_new_)) next_new_.arrival = kNever;
  }

  Time next_arrival() const {
    const Time next = next_new_.arrival;
    return follow_ups_.empty() ? next : std::min(next, follow_ups_.top().request.arrival);
  }

  bool arrives(Time now) const { return now != kNever && next_arrival() == now; }

  // The cluster event at `now` is a look-up, and the first one after an interval.
  bool copies_views_at(Time now) const { return !arrives(now) && views_.is_due(now); }

  Time next_cluster_event() {
    Time next = next_arrival();
    if (!to_admission_.empty()) next = std::min(next, to_admission_.front().at);
    if (!to_routing_.empty()) next = std::min(next, to_routing_.front().at);
    if (gateway_) next = std::min({next, gateway_->next_expiry(), gateway_->next_tick()});
    return next;
  }

  void run_cluster_event(Time now) {
    if (next_new_.arrival == now) {
      arrive(next_new_);
      pull();
    } else if (arrives(now)) {
      Request follow_up = follow_ups_.top().request;
      follow_ups_.pop();
      arrive(follow_up);
    } else if (!to_admission_.empty() && to_admission_.front().at == now) {
      decide_admission(now);
    } else if (!to_routing_.empty() && to_routing_.front().at == now) {
      decide_routing(now);
    } else if (gateway_->next_expiry() == now) {
      shed(gateway_->expire(), Reason::expired);
    } else {
      if (!gateway_->empty()) look_at_gateway(now);
      gateway_->tick_done(now);
    }
  }

  void arrive(Request& request) {
    const auto row = static_cast<std::uint32_t>(record_.requests.size());
    if (request.id < 0) request.id = row;
    record_.requests.add(request);
    if (arrival_log_ != nullptr) arrival_log_->arrived(request);
    ++progress_.arrived;
    to_admission_.emplace_back(request.arrival + deployment_.admission_latency, request, row);
  }

  void decide_admission(Time now) {
    OnItsWay& next = to_admission_.front();
    views_.look_up(now, instances_);
    if (!budgets_.admit(next.request)) {
      log_admission(next.request, now, AdmissionStage::tenant_budget, false);
      turn_away(next.row, Outcome::shed, Reason::tenant_budget, record_.rejected_admission);
    } else if (gateway_) {
      enter_gateway(next, now);
    } else if (admission_->admit(next.request, now, views_.views())) {
      log_admission(next.request, now, AdmissionStage::policy, true);
      next.at = now + deployment_.routing_latency;
      to_routing_.push_back(next);
      budgets_.enter(next.request);
    } else {
      log_admission(next.request, now, AdmissionStage::policy, false);
      const Outcome outcome = admission_->sheds() ? Outcome::shed : Outcome::rejected;
      turn_away(next.row, outcome, Reason::admission_policy, record_.rejected_admission);
    }
    to_admission_.pop_front();
  }

  void log_admission(const Request& request, Time now, AdmissionStage stage, bool admitted) {
    if (decision_log_ != nullptr) decision_log_->admission(request, now, stage, admitted);
  }

  void enter_gateway(const OnItsWay& next, Time now) {
    const auto entry = gateway_->enter(next.request, next.row, now, source_.labels());
    log_admission(next.request, now, AdmissionStage::gateway_queue, entry.accepted);
    if (entry.victim) shed(*entry.victim, Reason::displaced);
    if (!entry.accepted) {
      turn_away(next.row, Outcome::rejected, Reason::gateway_full);
      return;
    }
    budgets_.enter(next.request);
    look_at_gateway(now);
  }

  // At most one request goes, or one is taken back to make room.
  void look_at_gateway(Time now) {
    views_.look_up(now, instances_);
    for (auto victim = gateway_->choose_eviction(views_.views()); victim;) {
      if (evict(*victim, now)) {
        gateway_->note_eviction(*victim);
        return;
      }
      gateway_->note_departure(victim->row);  // no longer one to take back
      victim = gateway_->choose_eviction(views_.views());
    }
    const auto waiting = gateway_->look(now, views_.views());
    if (!waiting) return;
    to_routing_.emplace_back(now + deployment_.routing_latency, waiting->request, waiting->row);
  }

  void shed(const GatewayQueue::Waiting& waiting, Reason reason) {
    budgets_.leave(waiting.request.tags);
    turn_away(waiting.row, Outcome::shed, reason);
  }

  void decide_routing(Time now) {
    const OnItsWay& next = to_routing_.front();
    if (next.request.other_model) {
      if (decision_log_ != nullptr) decision_log_->no_target(next.request, now);
      budgets_.leave(next.request.tags);
      turn_away(next.row, Outcome::rejected, Reason::other_model, record_.rejected_routing);
    } else {
      route(next, now);
    }
    to_routing_.pop_front();
  }

  void route(const OnItsWay& next, Time now) {
    views_.look_up(now, instances_);
    views_.find_cached(next.request);
    const std::size_t target = router_->route(next.request, views_.views());
    if (decision_log_ != nullptr) {
      decision_log_->routing(next.request, now, target, router_->scores(), views_.views());
    }
    views_.routed_to(target);
    record_.requests.instance[next.row] = static_cast<std::int32_t>(target);
    if (gateway_) gateway_->note_routed(next.request, next.row, target);
    inboxes_[target].emplace_back(now, next.request, next.row);
    if (one_clock_ || inboxes_[target].size() >= kInbox) deliver(target);
  }

  // Hands an instance the requests that were routed to it, each at its time.
  void deliver(std::size_t index) {
    Instance& instance = instances_[index];
    for (const OnItsWay& next : inboxes_[index]) {
      for (Time now = instance.next_event(); now < next.at; now = instance.next_event()) {
        run_event_of(instance, index, now, next.at);
      }
      instance.inject(next.request, next.row, next.at);
    }
    inboxes_[index].clear();
    schedule_.set(index, instance.next_event());
  }

  void turn_away(std::uint32_t row, Outcome outcome, Reason reason, std::int64_t& count) {
    ++count;
    turn_away(row, outcome, reason);
  }

  void turn_away(std::uint32_t row, Outcome outcome, Reason reason) {
    record_.requests.outcome[row] = outcome;
    record_.requests.reason.set(row, reason, record_.requests.size());
    ++progress_.finished;
  }

  // Runs everything that happens in instances before `before`, or before a follow-up arrives.
  bool run_instances(Time before, Monitor* monitor) {
    if (!one_clock_) {
      for (std::size_t i = 0; i < inboxes_.size(); ++i) deliver(i);
    }
    if (source_.reacts()) return run_until_follow_up(before, monitor);
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

  // An instance may run ahead of the others as far as none of them can bring it a request.
  bool run_until_follow_up(Time before, Monitor* monitor) {
    while (schedule_.earliest() < std::min(before, next_arrival())) {
      const Time now = schedule_.earliest();
      progress_.now = std::max(progress_.now, now);
      const std::size_t index = schedule_.winner();
      schedule_.set(index, kNever);
      const Time others = schedule_.earliest();
      const Time soonest = others == kNever ? kNever : others + source_.reaction_time();
      Instance& instance = instances_[index];
      run_event_of(instance, index, now, std::min({before, next_arrival(), soonest}));
      schedule_.set(index, instance.next_event());
      if (!keep_going(monitor)) return false;
    }
    return true;
  }

  // What follows from an event comes after all that happens at the same time, so that a recording
  // of the arrivals says the order.
  void take_departures(Instance& instance) {
    instance.take_departures(&departures_);
    for (const Departure& departure : departures_) {
      if (watched_) {
        budgets_.leave(departure.tags);
        if (gateway_) gateway_->note_departure(departure.row);
      }
      Request request;
      if (!departure.awaited || !source_.follow_up(departure, &request)) continue;
      request.arrival = std::max(request.arrival, just_after(progress_.now));
      follow_ups_.push({request, follow_up_count_++});
    }
  }

  void run_event_of(Instance& instance, std::size_t index, Time now, Time before) {
    const std::int64_t left = instance.left();
    instance.run_next_event(now, before);
    count_departures(instance, index, instance.left() - left);
  }

  bool evict(const Gateway::InFlight& victim, Time now) {
    Instance& instance = instances_[victim.instance];
    if (!instance.evict(victim.row, now)) return false;
    record_.requests.reason.set(victim.row, Reason::evicted, record_.requests.size());
    count_departures(instance, victim.instance, 1);
    schedule_.set(victim.instance, instance.next_event());
    return true;
  }

  void count_departures(Instance& instance, std::size_t index, std::int64_t left) {
    views_.left(index, left);
    views_.changed(index);
    progress_.finished += left;
    if (instance.has_departures()) take_departures(instance);
  }

  bool keep_going(Monitor* monitor) {
    if (++events_ % kEventsPerPoll != 0 || monitor == nullptr) return true;
    return monitor->keep_going(progress_);
  }

  static Time just_after(Time time) { return time == kNever ? kNever : Time{time.ns + 1}; }

  void add_instances(RunRecord& record) const {
    if (gateway_) record.gateway = gateway_->record();
    for (const Instance& instance : instances_) record.instances.push_back(instance.record());
  }

  const Deployment deployment_;
  RequestSource& source_;
  const Time horizon_;
  TenantBudgets budgets_;
  std::unique_ptr<AdmissionPolicy> admission_;
  std::optional<Gateway> gateway_;
  std::unique_ptr<Router> router_;
  DecisionLog* const decision_log_;
  const ViewNeeds needs_;
  const bool watched_;    ///< instances report all departures
  const bool one_clock_;  ///< no instance may be ahead of what reaches it from the others
  ArrivalLog* const arrival_log_;
  RunRecord record_;
  std::deque<Instance> instances_;
  std::vector<std::vector<OnItsWay>> inboxes_;  ///< routed, not yet handed over
  ViewKeeper views_;
  Tournament schedule_;

  Request next_new_;  ///< from the source; arrives never = there is none
  std::priority_queue<FollowUp, std::vector<FollowUp>, std::greater<FollowUp>> follow_ups_;
  std::int64_t follow_up_count_ = 0;
  std::vector<Departure> departures_;  ///< scratch
  Fifo<OnItsWay> to_admission_;
  Fifo<OnItsWay> to_routing_;
  Progress progress_;
  std::int64_t events_ = 0;
};

Simulation::Simulation(const Deployment& deployment, RequestSource& source,
                       const SimulationOptions& options)
    : impl_(std::make_unique<Impl>(deployment, source, options)) {}

Simulation::~Simulation() = default;

bool Simulation::advance(const AdvanceLimit& limit, Monitor* monitor) {
  try {
    return impl_->advance(limit, monitor);
  } catch (const std::bad_alloc&) {
    throw OutOfMemory("a simulation of more than " + grouped(progress().arrived) + " requests");
  }
}

Progress Simulation::progress() const { return impl_->progress(); }

RunRecord Simulation::record() const { return impl_->record(); }

ItlHistogram Simulation::gaps() const { return impl_->gaps(); }

RunRecord Simulation::take_record() { return impl_->take_record(); }

}  // namespace plimsoll
