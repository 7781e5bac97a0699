#include "reference/cluster.h"

#include "reference/routing.h"

#include <algorithm>
#include <cassert>
#include <deque>
#include <functional>
#include <numeric>
#include <optional>
#include <queue>
#include <set>
#include <tuple>

namespace plimsoll::reference {
namespace {

enum class EventKind { arrival = 0, admission = 1, routing = 2, expiry = 6, tick = 7 };

struct Event {
  Time time;
  EventKind kind;
  std::int64_t sequence;
  std::size_t row;

  bool operator>(const Event& other) const {
    return std::tie(time, kind, sequence) > std::tie(other.time, other.kind, other.sequence);
  }
};

/// A request in the gateway queue, which is nothing but a list in the order of entry.
struct Held {
  std::size_t row;
  Time entered;
  std::int32_t priority;
  Time deadline;
};

class Cluster {
 public:
  Cluster(const Deployment& deployment, const Semantics& semantics,
          const std::vector<Request>& requests, Time horizon, const TieBreak& break_tie)
      : deployment_(deployment),
        rules_(deployment.flow_control),
        semantics_(semantics),
        requests_(requests),
        horizon_(horizon),
        break_tie_(break_tie),
        routing_(deployment),
        seen_(static_cast<std::size_t>(deployment.num_instances)),
        bucket_(parameter("token-bucket-capacity", 10000)) {
    record_.requests.resize(requests.size());
    for (int index = 0; index < deployment.num_instances; ++index) {
      instances_.emplace_back(index, deployment.engine, semantics, *deployment.step_time, horizon,
                              record_.requests);
    }
    for (std::size_t row = 0; row < requests.size(); ++row) {
      schedule(requests[row].arrival, EventKind::arrival, row);
    }
  }

  Record run() {
    while (process_next_event()) {
    }
    for (const Instance& instance : instances_) {
      record_.instances.push_back(instance.result());
      record_.used_blocks_at_end += instance.used_blocks();
    }
    return record_;
  }

 private:
  void schedule(Time time, EventKind kind, std::size_t row) {
    events_.push({time, kind, sequence_++, row});
  }

  /// Index of the instance with the earliest event, the lowest one at equal times.
  std::optional<std::size_t> earliest_instance() const {
    std::optional<std::size_t> earliest;
    for (std::size_t i = 0; i < instances_.size(); ++i) {
      if (!instances_[i].next_event()) continue;
      if (!earliest || *instances_[i].next_event() < *instances_[*earliest].next_event()) {
        earliest = i;
      }
    }
    return earliest;
  }

  /// The earliest event of all, cluster events first at equal times. False when there is none up
  /// to the horizon.
  bool process_next_event() {
    const std::optional<std::size_t> earliest = earliest_instance();
    const Time instance_time = earliest ? *instances_[*earliest].next_event() : kNever;
    const Time cluster_time = events_.empty() ? kNever : events_.top().time;
    if (events_.empty() && !earliest) return false;
    if (std::min(instance_time, cluster_time) > horizon_) return false;
    if (!events_.empty() && cluster_time <= instance_time) {
      const Event event = events_.top();
      events_.pop();
      process(event);
    } else {
      Instance& instance = instances_[*earliest];
      const std::int64_t finished = instance.finished();
      instance.process_next_event();
      seen_[*earliest].in_flight -= static_cast<double>(instance.finished() - finished);
    }
    return true;
  }

  void process(const Event& event) {
    switch (event.kind) {
      case EventKind::arrival:
        schedule(event.time + deployment_.admission_latency, EventKind::admission, event.row);
        return;
      case EventKind::admission:
        look_at_instances(event.time);  // whatever the policy
        if (rules_.enabled) {
          enter_gateway(event.row, event.time);
        } else if (admits(event.time, requests_[event.row])) {
          schedule(event.time + deployment_.routing_latency, EventKind::routing, event.row);
        } else {
          ++record_.rejected_admission;
          record_.requests[event.row].outcome = sheds() ? Outcome::shed : Outcome::rejected;
        }
        return;
      case EventKind::expiry:
        if (leave_gateway(event.row)) {
          record_.requests[event.row].outcome = Outcome::shed;
          ++record_.gateway_losses;
        }
        return;
      case EventKind::tick:
        if (!held_.empty()) look_at_gateway(event.time);
        ticking_ = !held_.empty();
        if (ticking_) schedule(event.time + rules_.tick_interval, EventKind::tick, 0);
        return;
      case EventKind::routing: {
        if (requests_[event.row].other_model) {  // no instance is a candidate
          record_.requests[event.row].outcome = Outcome::rejected;
          ++record_.rejected_routing;
          return;
        }
        look_at_instances(event.time);  // whatever the policy
        const std::size_t chosen = route(event.row);
        seen_[chosen].in_flight += 1;
        instances_[chosen].inject(event.row, requests_[event.row], event.time);
        return;
      }
    }
  }

  std::int32_t priority(std::size_t row) const {
    return deployment_.engine.priorities.of(requests_[row].slo_class);
  }

  void enter_gateway(std::size_t row, Time now) {
    const auto in_band = std::count_if(held_.begin(), held_.end(),
                                       [&](const Held& h) { return h.priority == priority(row); });
    bool refused = rules_.band_capacity > 0 && in_band >= rules_.band_capacity;
    bands_.insert(priority(row));
    if (!refused && rules_.max_depth > 0 &&
        static_cast<std::int64_t>(held_.size()) >= rules_.max_depth) {
      refused = !shed_for(row);
    }
    if (refused) {
      record_.requests[row].outcome = Outcome::rejected;
      ++record_.gateway_losses;
      return;
    }
    const Duration target =
        (*rules_.slo_targets)[static_cast<std::size_t>(requests_[row].slo_class)];
    held_.push_back({row, now, priority(row), target == Duration{} ? kNever : now + target});
    if (rules_.request_ttl > Duration{}) {
      schedule(now + rules_.request_ttl, EventKind::expiry, row);
    }
    if (!ticking_) {
      ticking_ = true;
      schedule(now + rules_.tick_interval, EventKind::tick, 0);
    }
    look_at_gateway(now);
  }

  /// Among the least urgent of all, the newest.
  bool shed_for(std::size_t row) {
    if (!rules_.queue_shedding) return false;
    auto victim = held_.begin();
    for (auto h = held_.begin(); h != held_.end(); ++h) {
      if (h->priority <= victim->priority) victim = h;
    }
    if (victim->priority >= 0 || victim->priority >= priority(row)) return false;
    record_.requests[victim->row].outcome = Outcome::shed;
    ++record_.gateway_losses;
    held_.erase(victim);
    return true;
  }

  bool leave_gateway(std::size_t row) {
    return std::erase_if(held_, [&](const Held& h) { return h.row == row; }) > 0;
  }

  /// As chosen, else the value that the user guide names as the usual one.
  double parameter(const char* name, double usual) const {
    const auto chosen = deployment_.parameters.find(name);
    return chosen == deployment_.parameters.end() ? usual : *chosen->second;
  }

  double saturation() const {
    const auto instances = static_cast<double>(instances_.size());
    if (rules_.signal == "never") return 0;
    if (rules_.signal == "concurrency") {
      double all = 0;
      for (const Seen& seen : seen_) all += seen.in_flight;
      return all / (instances * parameter("max-concurrency", 100));
    }
    assert(rules_.signal == "utilization" && "write new signals down here");
    double sum = 0;
    for (const Seen& seen : seen_) {
      sum += std::max(seen.queue / parameter("queue-depth-threshold", 5),
                      seen.kv_utilization / parameter("kv-cache-util-threshold", 0.8));
    }
    return sum / instances;
  }

  /// Below this saturation requests of the priority may go.
  double ceiling(std::int32_t of) const {
    if (bands_.size() == 1) return 1;
    const auto more_urgent =
        std::count_if(bands_.begin(), bands_.end(), [&](std::int32_t other) { return other > of; });
    return 1 - static_cast<double>(more_urgent) * (1 - rules_.usage_limit) /
                   static_cast<double>(bands_.size() - 1);
  }

  void look_at_gateway(Time now) {
    look_at_instances(now);
    const bool by_class =
        rules_.order != "fifo" || rules_.usage_limit < 1 || !semantics_.gateway_fifo_over_classes;
    auto next = held_.begin();
    for (auto h = held_.begin(); h != held_.end(); ++h) {
      const bool same = h->priority == next->priority;
      if (by_class && h->priority > next->priority) next = h;
      if (same && rules_.order == "slo-deadline" && h->deadline < next->deadline) {
        next = h;
      }
    }
    const double full = saturation();
    for (const std::int32_t band : bands_) {  // a band that is held back holds back those below it
      if (band >= next->priority && full >= ceiling(band)) return;
    }
    const std::size_t row = next->row;
    held_.erase(next);
    schedule(now + deployment_.routing_latency, EventKind::routing, row);
  }

  /// A look-up reads again what was read long enough ago; before, there is nothing to be seen.
  void look_at_instances(Time now) {
    const bool count = now - counted_ >= deployment_.snapshot_refresh_interval;
    const bool copy_content = now - content_copied_ >= deployment_.cache_signal_delay;
    if (count) counted_ = now;
    if (copy_content) content_copied_ = now;
    for (std::size_t i = 0; i < instances_.size(); ++i) {
      const Instance& instance = instances_[i];
      if (copy_content) seen_[i].cached = instance.cached_content();
      if (!count) continue;
      seen_[i].queue = static_cast<double>(instance.queue_length());
      seen_[i].batch = static_cast<double>(instance.batch_length());
      seen_[i].kv_utilization = static_cast<double>(instance.used_blocks()) /
                                static_cast<double>(instance.total_blocks());
    }
  }

  bool sheds() const {
    return deployment_.admission == "tier-shed" || deployment_.admission == "gaie-legacy";
  }

  bool admits(Time now, const Request& request) {
    const std::string& policy = deployment_.admission;
    const std::int32_t urgency = deployment_.engine.priorities.of(request.slo_class);
    if (policy == "always-admit") return true;
    if (policy == "reject-all") return false;
    if (policy == "tier-shed") {
      bool low = true;
      for (const Seen& seen : seen_) {
        low &= seen.queue + seen.batch + seen.in_flight <= parameter("tier-shed-threshold", 0);
      }
      return low || urgency >= parameter("tier-shed-min-priority", 0);
    }
    if (policy == "gaie-legacy") {
      double sum = 0;
      for (const Seen& seen : seen_) {
        sum += std::max(seen.queue / parameter("gaie-qd-threshold", 5),
                        seen.kv_utilization / parameter("gaie-kv-threshold", 0.8));
      }
      return sum < static_cast<double>(seen_.size()) || urgency >= 0;
    }
    assert(policy == "token-bucket" && "write new admission policies down here");
    bucket_ += to_us(now - bucket_filled_) * parameter("token-bucket-refill-rate", 1000) / 1e6;
    bucket_ = std::min(bucket_, parameter("token-bucket-capacity", 10000));
    bucket_filled_ = now;
    const auto cost = static_cast<double>(request.input_tokens);
    if (bucket_ < cost) return false;
    bucket_ -= cost;
    return true;
  }

  std::size_t route(std::size_t row) {
    const std::vector<int> equals = routing_.candidates(requests_[row], seen_);
    const int chosen = equals.size() == 1 ? equals.front() : break_tie_(row, equals);
    routing_.routed(requests_[row], chosen);
    return static_cast<std::size_t>(chosen);
  }

  const Deployment& deployment_;
  const FlowControl& rules_;
  const Semantics semantics_;
  const std::vector<Request>& requests_;
  Time horizon_;
  const TieBreak& break_tie_;

  Record record_;
  std::priority_queue<Event, std::vector<Event>, std::greater<>> events_;
  std::int64_t sequence_ = 0;
  std::deque<Instance> instances_;
  Routing routing_;
  std::vector<Seen> seen_;  // in flight: routed there and not finished, always exact
  Time counted_;
  Time content_copied_;
  std::vector<Held> held_;
  std::set<std::int32_t> bands_;  // priorities that ever entered the gateway
  bool ticking_ = false;
  double bucket_;
  Time bucket_filled_;
};

}  // namespace

Record simulate(const Deployment& deployment, const Semantics& semantics,
                const std::vector<Request>& requests, Time horizon, const TieBreak& break_tie) {
  return Cluster(deployment, semantics, requests, horizon, break_tie).run();
}

Record simulate_stand_alone(const EngineConfig& config, const StepTimeModel& step_time,
                            const std::vector<Request>& requests, Time horizon) {
  Record record;
  record.requests.resize(requests.size());
  Instance instance(0, config, Semantics::blis(), step_time, horizon, record.requests);
  for (std::size_t row = 0; row < requests.size(); ++row) {
    instance.inject(row, requests[row], requests[row].arrival);
  }
  while (instance.next_event() && instance.clock() <= horizon) instance.process_next_event();
  record.instances.push_back(instance.result());
  record.used_blocks_at_end = instance.used_blocks();
  return record;
}

}  // namespace plimsoll::reference
