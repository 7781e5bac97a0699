#include "reference/cluster.h"

#include "reference/routing.h"

#include <algorithm>
#include <deque>
#include <functional>
#include <optional>
#include <queue>
#include <tuple>

namespace plimsoll::reference {
namespace {

enum class EventKind { arrival = 0, admission = 1, routing = 2 };

struct Event {
  Time time;
  EventKind kind;
  std::int64_t sequence;
  std::size_t row;

  bool operator>(const Event& other) const {
    return std::tie(time, kind, sequence) > std::tie(other.time, other.kind, other.sequence);
  }
};

class Cluster {
 public:
  Cluster(const Deployment& deployment, const Semantics& semantics,
          const std::vector<Request>& requests, Time horizon, const TieBreak& break_tie)
      : deployment_(deployment),
        requests_(requests),
        horizon_(horizon),
        break_tie_(break_tie),
        routing_(deployment),
        seen_(static_cast<std::size_t>(deployment.num_instances)),
        bucket_(deployment.token_bucket_capacity) {
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
        if (admits(event.time, requests_[event.row])) {
          schedule(event.time + deployment_.routing_latency, EventKind::routing, event.row);
        } else {
          reject(event.row, &record_.rejected_admission);
        }
        return;
      case EventKind::routing: {
        if (requests_[event.row].other_model) {  // no instance is a candidate
          return reject(event.row, &record_.rejected_routing);
        }
        look_at_instances(event.time);  // whatever the policy
        const std::size_t chosen = route(event.row);
        seen_[chosen].in_flight += 1;
        instances_[chosen].inject(event.row, requests_[event.row], event.time);
        return;
      }
    }
  }

  void reject(std::size_t row, std::int64_t* count) {
    record_.requests[row].outcome = Outcome::rejected;
    ++*count;
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

  bool admits(Time now, const Request& request) {
    switch (deployment_.admission) {
      case AdmissionPolicyKind::always_admit:
        return true;
      case AdmissionPolicyKind::reject_all:
        return false;
      case AdmissionPolicyKind::token_bucket:
        break;
    }
    bucket_ += to_us(now - bucket_filled_) * deployment_.token_bucket_refill_rate / 1e6;
    bucket_ = std::min(bucket_, deployment_.token_bucket_capacity);
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
