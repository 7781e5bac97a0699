#include "reference/cluster.h"

#include <algorithm>

#include "reference/whole_cluster.h"

namespace plimsoll::reference {

Cluster::Cluster(const Deployment& deployment, const Semantics& semantics,
                 const std::vector<Request>& requests, Time horizon, const TieBreak& break_tie)
    : deployment_(deployment),
      rules_(deployment.flow_control),
      semantics_(semantics),
      requests_(requests),
      horizon_(horizon),
      break_tie_(break_tie),
      first_answer_(deployment.num_prefill_instances()),
      answers_(part_of(deployment, Side::answers)),
      prompts_(part_of(deployment, Side::prefills)),
      routing_(answers_),
      seen_(static_cast<std::size_t>(answers_.num_instances())),
      prompt_routing_(deployment.splits() ? prompts_ : answers_),
      prompt_seen_(first_answer_),
      transfers_(deployment.disaggregation.transfer, semantics),
      bucket_(parameter("token-bucket-capacity", 10000)) {
  record_.requests.resize(requests.size());
  for (const Pool& pool : deployment.pools) {
    for (int i = 0; i < pool.num_instances; ++i) {
      instances_.emplace_back(static_cast<int>(pools_.size()), pool.engine, pool.ranks, semantics,
                              *pool.step_time, horizon, record_.requests);
      pools_.push_back(&pool);
    }
  }
  for (std::size_t row = 0; row < requests.size(); ++row) {
    schedule(requests[row].arrival, EventKind::arrival, row);
  }
}

Record Cluster::run() {
  while (process_next_event()) {
  }
  for (const Ranks& instance : instances_) {
    record_.instances.push_back(instance.result());
    record_.used_blocks_at_end += instance.used_blocks();
  }
  record_.transfers = transfers_.record();
  return record_;
}

void Cluster::schedule(Time time, EventKind kind, std::size_t row) {
  events_.push({time, kind, sequence_++, row});
}

std::optional<std::size_t> Cluster::earliest_instance() const {
  std::optional<std::size_t> earliest;
  for (std::size_t i = 0; i < instances_.size(); ++i) {
    if (!instances_[i].next_event()) continue;
    if (!earliest || *instances_[i].next_event() < *instances_[*earliest].next_event()) {
      earliest = i;
    }
  }
  return earliest;
}

bool Cluster::process_next_event() {
  const std::optional<std::size_t> earliest = earliest_instance();
  const Time instance_time = earliest ? *instances_[*earliest].next_event() : kNever;
  const Time cluster_time = events_.empty() ? kNever : events_.top().time;
  const Time transfer_time = transfers_.next();
  const Time next = std::min({instance_time, cluster_time, transfer_time});
  if (next == kNever || next > horizon_) return false;
  const bool before_transfer = !events_.empty() && cluster_time == next &&
                               (transfer_time > next || events_.top().kind < EventKind::expiry);
  if (transfer_time == next && !before_transfer) {
    if (const auto row = transfers_.happen(next)) prompt_came(*row, next);
  } else if (!events_.empty() && cluster_time <= instance_time) {
    const Event event = events_.top();
    events_.pop();
    process(event);
  } else {
    Ranks& instance = instances_[*earliest];
    const std::int64_t finished = instance.finished();
    instance.process_next_event();
    in_flight(*earliest) -= static_cast<double>(instance.finished() - finished);
    hear(*earliest, next);
  }
  return true;
}

void Cluster::process(const Event& event) {
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
      const std::size_t chosen = choose(routing_, seen_, event.row, false);
      if (rules_.enabled && priority(event.row) < 0) sheddable_.push_back(event.row);
      if (goes_apart(event.row, chosen)) return send_prompt(event.row, chosen, event.time);
      seen_[chosen].in_flight += 1;
      instances_[first_answer_ + chosen].inject(event.row, requests_[event.row], event.time);
      return;
    }
  }
}

void Cluster::look_at_instances(Time now) {
  const bool count = now - counted_ >= deployment_.snapshot_refresh_interval;
  const bool copy_content = now - content_copied_ >= deployment_.cache_signal_delay;
  if (count) counted_ = now;
  if (copy_content) content_copied_ = now;
  for (std::size_t i = 0; i < instances_.size(); ++i) {
    const Ranks& instance = instances_[i];
    Seen& seen = i < first_answer_ ? prompt_seen_[i] : seen_[i - first_answer_];
    if (copy_content) seen.cached = instance.cached_content();
    if (!count) continue;
    seen.queue = static_cast<double>(instance.queue_length());
    seen.batch = static_cast<double>(instance.batch_length());
    seen.kv_utilization =
        static_cast<double>(instance.used_blocks()) / static_cast<double>(instance.total_blocks());
  }
}

std::size_t Cluster::choose(Routing& routing, const std::vector<Seen>& seen, std::size_t row,
                            bool for_prompt) {
  const std::vector<int> equals = routing.candidates(requests_[row], seen);
  const int chosen = equals.size() == 1 ? equals.front() : break_tie_(row, equals, for_prompt);
  routing.routed(requests_[row], chosen);
  return static_cast<std::size_t>(chosen);
}

Record simulate(const Deployment& deployment, const Semantics& semantics,
                const std::vector<Request>& requests, Time horizon, const TieBreak& break_tie) {
  return Cluster(deployment, semantics, requests, horizon, break_tie).run();
}

Record simulate_stand_alone(const EngineConfig& config, const StepTimeModel& step_time,
                            const std::vector<Request>& requests, Time horizon) {
  Record record;
  record.requests.resize(requests.size());
  Ranks instance(0, config, 1, Semantics::blis(), step_time, horizon, record.requests);
  for (std::size_t row = 0; row < requests.size(); ++row) {
    instance.inject(row, requests[row], requests[row].arrival);
  }
  while (instance.next_event() && instance.clock() <= horizon) instance.process_next_event();
  record.instances.push_back(instance.result());
  record.used_blocks_at_end = instance.used_blocks();
  return record;
}

}  // namespace plimsoll::reference
