#include <algorithm>
#include <cassert>

#include "reference/whole_cluster.h"

namespace plimsoll::reference {

std::int32_t Cluster::priority(std::size_t row) const {
  return deployment_.main().engine.priorities.of(requests_[row].slo_class);
}

void Cluster::enter_gateway(std::size_t row, Time now) {
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
  const Duration target = (*rules_.slo_targets)[static_cast<std::size_t>(requests_[row].slo_class)];
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

bool Cluster::shed_for(std::size_t row) {
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

bool Cluster::leave_gateway(std::size_t row) {
  return std::erase_if(held_, [&](const Held& h) { return h.row == row; }) > 0;
}

double Cluster::parameter(const char* name, double usual) const {
  const auto chosen = deployment_.parameters.find(name);
  return chosen == deployment_.parameters.end() ? usual : *chosen->second;
}

double Cluster::saturation() const {
  const auto instances = static_cast<double>(seen_.size());
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

double Cluster::ceiling(std::int32_t of) const {
  if (bands_.size() == 1) return 1;
  const auto more_urgent =
      std::count_if(bands_.begin(), bands_.end(), [&](std::int32_t other) { return other > of; });
  return 1 - static_cast<double>(more_urgent) * (1 - rules_.usage_limit) /
                 static_cast<double>(bands_.size() - 1);
}

bool Cluster::takes_one_back(Time now) {
  const bool urgent_waits =
      std::any_of(held_.begin(), held_.end(), [](const Held& held) { return held.priority >= 0; });
  if (!rules_.in_flight_eviction || !urgent_waits || saturation() < 1) return false;
  while (!sheddable_.empty()) {
    auto victim = sheddable_.begin();
    for (auto s = sheddable_.begin(); s != sheddable_.end(); ++s) {
      if (priority(*s) <= priority(*victim)) victim = s;
    }
    const std::size_t row = *victim;
    sheddable_.erase(victim);
    if (record_.requests[row].outcome != Outcome::unfinished) continue;
    const auto apart = apart_.find(row);
    const bool is_prompt = apart != apart_.end() && !apart->second.prompt_is_done;
    const std::size_t at =
        is_prompt ? apart->second.prompt : static_cast<std::size_t>(record_.requests[row].instance);
    if (!instances_[at].take_back(row, now)) continue;
    in_flight(at) -= 1;
    hear(at, now);
    return true;
  }
  return false;
}

void Cluster::look_at_gateway(Time now) {
  look_at_instances(now);
  if (takes_one_back(now)) return;
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

bool Cluster::sheds() const {
  return deployment_.admission == "tier-shed" || deployment_.admission == "gaie-legacy";
}

bool Cluster::admits(Time now, const Request& request) {
  const std::string& policy = deployment_.admission;
  const std::int32_t urgency = deployment_.main().engine.priorities.of(request.slo_class);
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

}  // namespace plimsoll::reference
