#include "cluster/gateway_queue.h"

#include <algorithm>

namespace plimsoll {
namespace {

const std::string kNoTenant = "default";

}  // namespace

GatewayQueue::Entry GatewayQueue::enter(const Request& request, std::uint32_t row, Time now,
                                        const std::string& tenant, Duration slo_target) {
  const std::int32_t priority = priorities_.of(request.slo_class);
  Band& band = bands_[priority];
  if (rules_.band_capacity > 0 && band.size >= rules_.band_capacity) return {};
  Entry entry;
  if (rules_.max_depth > 0 && size() >= rules_.max_depth) {
    const auto victim = rules_.queue_shedding ? sheddable_victim(priority) : std::nullopt;
    if (!victim) return {};
    entry.victim = remove(*victim);
  }
  entry.accepted = true;

  const Number number = entered_++;
  Duration target = slo_target;
  if (target == Duration{}) {
    target = rules_.slo_targets[static_cast<std::size_t>(request.slo_class)];
  }
  const Time deadline = target == Duration{} ? kNever : now + target;
  const std::string& name = tenant.empty() ? kNoTenant : tenant;
  entries_.emplace(number, Item{{request, row, now}, priority, name, deadline});
  Flow& flow = band.flows[name];
  flow.by_entry.insert(number);
  if (rules_.order == DispatchOrder::slo_deadline) flow.by_deadline.emplace(deadline, number);
  ++band.size;
  if (rules_.request_ttl > Duration{}) expiries_.emplace_back(now + rules_.request_ttl, number);
  return entry;
}

// The newest of the least urgent ones, if it is less urgent than the newcomer.
std::optional<GatewayQueue::Number> GatewayQueue::sheddable_victim(std::int32_t newcomer) const {
  for (auto band = bands_.rbegin(); band != bands_.rend(); ++band) {
    if (band->first >= 0 || band->first >= newcomer) return std::nullopt;
    if (band->second.size == 0) continue;
    Number newest = 0;
    for (const auto& [tenant, flow] : band->second.flows) {
      newest = std::max(newest, *flow.by_entry.rbegin());
    }
    return newest;
  }
  return std::nullopt;
}

bool GatewayQueue::in_one_line() const {
  return rules_.order == DispatchOrder::fifo && rules_.usage_limit >= 1 &&
         semantics_.gateway_fifo_over_classes;
}

// Band i of m is held back from a saturation of 1 - i (1 - limit) / (m - 1) on.
std::optional<GatewayQueue::Waiting> GatewayQueue::dispatch(double saturation) {
  if (empty()) return std::nullopt;
  if (in_one_line()) {
    if (saturation >= 1) return std::nullopt;
    return remove(next_in_line());
  }
  const auto bands = static_cast<double>(bands_.size());
  double i = 0;
  for (auto& [priority, band] : bands_) {
    const double ceiling = bands_.size() == 1 ? 1 : 1 - i * (1 - rules_.usage_limit) / (bands - 1);
    if (saturation >= ceiling) return std::nullopt;
    if (band.size > 0) return remove(next_of(band));
    i += 1;
  }
  return std::nullopt;
}

// The tenant whose turn it is; `last` may have nothing waiting any more.
template <class ByTenant>
typename ByTenant::iterator GatewayQueue::after(ByTenant& by_tenant,
                                                const std::string& last) const {
  auto next = by_tenant.upper_bound(last);
  if (!semantics_.gateway_turns_go_on && !by_tenant.contains(last)) next = by_tenant.begin();
  return next == by_tenant.end() ? by_tenant.begin() : next;
}

GatewayQueue::Number GatewayQueue::next_of(Band& band) {
  auto chosen = band.flows.begin();
  if (rules_.fairness == FairnessPolicy::round_robin) {
    chosen = after(band.flows, band.last_tenant);
    band.last_tenant = chosen->first;
  } else {
    chosen = std::min_element(band.flows.begin(), band.flows.end(), [](auto& a, auto& b) {
      return *a.second.by_entry.begin() < *b.second.by_entry.begin();
    });
  }
  const Flow& flow = chosen->second;
  return rules_.order == DispatchOrder::slo_deadline ? flow.by_deadline.begin()->second
                                                     : *flow.by_entry.begin();
}

// First in, first out, whatever the class.
GatewayQueue::Number GatewayQueue::next_in_line() {
  if (rules_.fairness == FairnessPolicy::global_strict) return entries_.begin()->first;
  std::map<std::string, Number> heads;
  for (const auto& [priority, band] : bands_) {
    for (const auto& [tenant, flow] : band.flows) {
      const Number head = *flow.by_entry.begin();
      const auto known = heads.emplace(tenant, head).first;
      known->second = std::min(known->second, head);
    }
  }
  const auto chosen = after(heads, last_tenant_);
  last_tenant_ = chosen->first;
  return chosen->second;
}

GatewayQueue::Waiting GatewayQueue::remove(Number number) {
  auto node = entries_.extract(number);
  const Item& item = node.mapped();
  Band& band = bands_.at(item.priority);
  const auto flow = band.flows.find(item.tenant);
  flow->second.by_entry.erase(number);
  flow->second.by_deadline.erase({item.deadline, number});
  if (flow->second.by_entry.empty()) band.flows.erase(flow);
  --band.size;
  return item.waiting;
}

Time GatewayQueue::next_expiry() {
  while (!expiries_.empty() && !entries_.contains(expiries_.front().second)) {
    expiries_.pop_front();
  }
  return expiries_.empty() ? kNever : expiries_.front().first;
}

GatewayQueue::Waiting GatewayQueue::expire() {
  const Number number = expiries_.front().second;
  expiries_.pop_front();
  return remove(number);
}

bool GatewayQueue::protected_request_waits() const {
  return std::any_of(bands_.begin(), bands_.end(),
                     [](const auto& band) { return band.first >= 0 && band.second.size > 0; });
}

}  // namespace plimsoll
