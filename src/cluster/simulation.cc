#include "cluster/simulation.h"

#include <algorithm>
#include <cassert>
#include <new>
#include <span>
#include <utility>

#include "base/fifo.h"
#include "base/memory.h"
#include "base/text.h"
#include "cluster/admission.h"
#include "cluster/arrivals.h"
#include "cluster/gateway.h"
#include "cluster/handoffs.h"
#include "cluster/instance_group.h"
#include "cluster/router.h"
#include "cluster/tenant_budgets.h"

namespace plimsoll {
// Cluster events run before instance events of the same time; among themselves an arrival before an
// admission decision before a routing decision. Latencies are constant, so each kind is a queue.
class Simulation::Impl final : public DepartureListener {
 public:
  Impl(const Deployment& deployment, RequestSource& source, const SimulationOptions& options)
      : deployment_(deployment),
        arrivals_(source),
        horizon_(options.horizon),
        budgets_(deployment, source),
        admission_(make_admission(deployment)),
        gateway_(deployment.flow_control.enabled
                     ? std::make_unique<Gateway>(deployment, options.semantics)
                     : nullptr),
        router_(make_router(part_of(deployment, Side::answers), options.seed)),
        decision_log_(options.decision_log),
        watched_(budgets_.any() || deployment.flow_control.in_flight_eviction),
        arrival_log_(options.arrival_log),
        handoffs_(deployment.splits() ? std::make_unique<Handoffs>(
                                            deployment_, options.semantics, options.seed, *router_,
                                            instances_, record_.requests, decision_log_)
                                      : nullptr),
        instances_(deployment_, options, watch(), arrivals_, record_.requests, *this, progress_) {
    assert(deployment.num_instances() > 0 && deployment.main().step_time != nullptr);
    record_.horizon = options.horizon;
    record_.begins_sessions = source.begins_sessions();
  }

  bool advance(const AdvanceLimit& limit, Monitor* monitor) {
    const Time last = std::min(limit.time, horizon_);
    for (;;) {
      const Time cluster = next_cluster_event();
      const bool full = arrives(cluster) && progress_.arrived >= limit.requests;
      const bool stop = cluster == kNever || cluster > last || full;
      if (stop || instances_.is_on_one_clock() || are_seen_at(cluster)) {
        const Time before = cluster <= last ? cluster : Arrivals::just_after(last);
        if (!instances_.run(before, monitor)) return false;
        // Transfers that begin or are given up bring it forward or put it off.
        if (next_cluster_event() != cluster) continue;
        if (stop) instances_.catch_up(before);
      }
      if (stop) return (cluster == kNever || cluster > horizon_) && instances_.earliest() == kNever;
      progress_.now = cluster;
      run_cluster_event(cluster);
      if (!instances_.keep_going(monitor)) {
        instances_.run(cluster, nullptr);
        return false;
      }
    }
  }

  void resume() { arrivals_.resume(); }

  const Progress& progress() const { return progress_; }

  RunRecord record() const {
    RunRecord record = record_;
    add_instances(record);
    return record;
  }

  ItlHistogram gaps() const {
    ItlHistogram all;
    for (const Ranks& instance : instances_.instances()) all.merge(instance.record().itl);
    return all;
  }

  RunRecord take_record() {
    add_instances(record_);
    record_.rounds_left_out = arrivals_.rounds_left_out();
    return std::move(record_);
  }

 private:
  bool arrives(Time now) const { return now != kNever && arrivals_.next() == now; }

  // The cluster event at `now` is a look-up, and the first one after an interval.
  bool are_seen_at(Time now) const { return !arrives(now) && instances_.is_seen_at(now); }

  Time next_cluster_event() {
    Time next = arrivals_.next();
    if (!to_admission_.empty()) next = std::min(next, to_admission_.front().at);
    if (!to_routing_.empty()) next = std::min(next, to_routing_.front().at);
    if (gateway_) next = std::min({next, gateway_->next_expiry(), gateway_->next_tick()});
    if (handoffs_) next = std::min(next, handoffs_->next_event());
    return next;
  }

  void run_cluster_event(Time now) {
    if (arrives(now)) {
      arrive(arrivals_.front());
      arrivals_.pop();
    } else if (!to_admission_.empty() && to_admission_.front().at == now) {
      decide_admission(now);
    } else if (!to_routing_.empty() && to_routing_.front().at == now) {
      decide_routing(now);
    } else if (handoffs_ && handoffs_->next_event() == now) {
      handoffs_->run_event(now);
    } else if (gateway_->next_expiry() == now) {
      shed(gateway_->expire(), Reason::expired);
    } else {
      if (!gateway_->empty()) look_at_gateway(now);
      gateway_->tick_done(now);
    }
  }

  void arrive(const Request& arrived) {
    const auto row = static_cast<std::uint32_t>(record_.requests.size());
    to_admission_.emplace_back(arrived.arrival + deployment_.admission_latency, arrived, row);
    Request& request = to_admission_.back().request;
    if (request.id < 0) request.id = row;
    record_.requests.add(request);
    if (arrival_log_ != nullptr) arrival_log_->arrived(request);
    ++progress_.arrived;
    look_at_memory();
  }

  void decide_admission(Time now) {
    OnItsWay& next = to_admission_.front();
    instances_.look_up(now);
    if (!budgets_.admit(next.request)) {
      log_admission(next.request, now, AdmissionStage::tenant_budget, false);
      turn_away(next.row, Outcome::shed, Reason::tenant_budget, record_.rejected_admission);
    } else if (gateway_) {
      enter_gateway(next, now);
    } else if (admission_->admit(next.request, now, views())) {
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
    const auto entry = gateway_->enter(next.request, next.row, now, arrivals_.labels());
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
    instances_.look_up(now);
    for (auto victim = gateway_->choose_eviction(views()); victim;) {
      if (evict(*victim, now)) {
        gateway_->note_eviction(*victim);
        return;
      }
      gateway_->note_departure(*victim);  // no longer one to take back
      victim = gateway_->choose_eviction(views());
    }
    const auto waiting = gateway_->look(now, views());
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
    instances_.look_up(now);
    instances_.views().find_cached(next.request);
    const std::size_t seen = router_->route(next.request, views());
    assert(seen < views().size());
    const std::size_t target = views().first + seen;
    if (decision_log_ != nullptr) {
      decision_log_->routing(next.request, now, seen, router_->scores(), views());
    }
    record_.requests.instance[next.row] = static_cast<std::int32_t>(target);
    if (gateway_) gateway_->note_routed(next.request, next.row);
    if (handoffs_ && handoffs_->split(next.request, next.row, target, seen, now)) return;
    instances_.views().routed_to(seen);
    instances_.hand_over(target, now, next.request, next.row);
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

  bool evict(std::uint32_t row, Time now) {
    auto at = static_cast<std::size_t>(record_.requests.instance[row]);
    if (handoffs_) at = handoffs_->holder(row).value_or(at);
    if (!instances_.evict(at, row, now)) return false;
    record_.requests.reason.set(row, Reason::evicted, record_.requests.size());
    return true;
  }

  void departed(const Departure& departure) override {
    if (watched_) {
      budgets_.leave(departure.tags);
      if (gateway_) gateway_->note_departure(departure.row);
    }
    arrivals_.left(departure, progress_.now);
  }

  void handed_over(std::span<HandoffNotice> notices, Time now) override {
    handoffs_->told(notices, now);
  }
  Time next_transfer() const override { return handoffs_->next_event(); }

  // How much waiting requests will take is not known before: not at what rate they are served, nor
  // how long a trace is.
  void look_at_memory() const {
    constexpr std::int64_t kArrivalsBetweenLooks = 1 << 18;
    if (progress_.arrived % kArrivalsBetweenLooks == 0 && is_memory_short()) throw std::bad_alloc();
  }

  const InstanceViews& views() { return instances_.views().views(); }

  InstanceGroup::Watch watch() const {
    ViewNeeds needs = router_->needs() | admission_->needs();
    if (gateway_) needs = needs | gateway_->needs();
    if (decision_log_ != nullptr) needs = needs | decision_log_->needs();
    ViewNeeds needs_prefills;
    if (handoffs_) {
      needs = needs | handoffs_->needs_of_answers();
      needs_prefills = handoffs_->needs_of_prefills();
    }
    const bool seen = needs.any() || watched_;
    return {needs, needs_prefills, watched_, needs.in_flight || watched_ || arrivals_.react(),
            seen};
  }

  void add_instances(RunRecord& record) const {
    instances_.write_rows(&record.requests);
    if (gateway_) record.gateway = gateway_->record();
    if (handoffs_) record.transfers = handoffs_->transfers();
    for (const Ranks& instance : instances_.instances())
      record.instances.push_back(instance.record());
  }

  const Deployment deployment_;
  Arrivals arrivals_;
  const Time horizon_;
  TenantBudgets budgets_;
  std::unique_ptr<AdmissionPolicy> admission_;
  std::unique_ptr<Gateway> gateway_;
  std::unique_ptr<Router> router_;
  DecisionLog* const decision_log_;
  const bool watched_;  ///< instances report all departures
  ArrivalLog* const arrival_log_;
  RunRecord record_;
  Progress progress_;
  std::unique_ptr<Handoffs> handoffs_;  ///< none where all requests stay whole
  InstanceGroup instances_;

  Fifo<OnItsWay> to_admission_;
  Fifo<OnItsWay> to_routing_;
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

void Simulation::resume() { impl_->resume(); }

Progress Simulation::progress() const { return impl_->progress(); }

RunRecord Simulation::record() const { return impl_->record(); }

ItlHistogram Simulation::gaps() const { return impl_->gaps(); }

RunRecord Simulation::take_record() { return impl_->take_record(); }

}  // namespace plimsoll
