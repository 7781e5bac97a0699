#include "cluster/gateway_queue.h"

#include <algorithm>

namespace plimsoll {
namespace {

const std::string kNoTenant = "default";

}  // namespace

const std::vector<DispatchOrderRow>& dispatch_orders() {
  static const std::vector<DispatchOrderRow> rows{
      {.name = "fifo", .help = "first in, first out", .by_class = false},
      {.name = "priority", .help = "the most urgent SLO class first"},
      {.name = "slo-deadline",
       .help = "the most urgent SLO class first, in it the tenant that --fairness-policy names, of "
               "its requests the earliest deadline (--slo-targets)",
       .by_deadline = true},
  };
  return rows;
}

const std::vector<FairnessRow>& fairness_policies() {
  static const std::vector<FairnessRow> rows{
      {.name = "global-strict", .help = "the tenant that has waited longest"},
      {.name = "round-robin", .help = "one tenant after the other", .takes_turns = true},
  };
  return rows;
}

void GatewayQueue::Line::insert(Number number, const Item& item) {
  by_entry.insert(number);
  flows[item.tenant].emplace(item.deadline, number);
}

void GatewayQueue::Line::erase(Number number, const Item& item) {
  by_entry.erase(number);
  const auto flow = flows.find(item.tenant);
  flow->second.erase({item.deadline, number});
  if (flow->second.empty()) flows.erase(flow);
}

GatewayQueue::Entry GatewayQueue::enter(const Request& request, std::uint32_t row, Time now,
                                        const std::string& tenant, Duration slo_target) {
  const std::int32_t priority = priorities_.of(request.slo_class);
  Line& band = bands_[priority];
  if (rules_.band_capacity > 0 && band.size() >= rules_.band_capacity) return {};
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
    target = (*rules_.slo_targets)[static_cast<std::size_t>(request.slo_class)];
  }
  const bool is_due = order_.by_deadline && target != Duration{};
  const std::string& name = tenant.empty() ? kNoTenant : tenant;
  const Item item{{request, row, now}, priority, name, is_due ? now + target : kNever};
  band.insert(number, item);
  if (in_one_line()) all_.insert(number, item);
  entries_.emplace(number, item);
  if (rules_.request_ttl > Duration{}) expiries_.emplace_back(now + rules_.request_ttl, number);
  return entry;
}

// The newest of the least urgent ones, if it is less urgent than the newcomer.
std::optional<GatewayQueue::Number> GatewayQueue::sheddable_victim(std::int32_t newcomer) const {
  for (auto band = bands_.rbegin(); band != bands_.rend(); ++band) {
    if (band->first >= 0 || band->first >= newcomer) return std::nullopt;
    if (band->second.size() > 0) return *band->second.by_entry.rbegin();
  }
  return std::nullopt;
}

bool GatewayQueue::in_one_line() const {
  return !order_.by_class && rules_.usage_limit >= 1 && semantics_.gateway_fifo_over_classes;
}

// Band i of m is held back from a saturation of 1 - i (1 - limit) / (m - 1) on.
std::optional<GatewayQueue::Waiting> GatewayQueue::dispatch(double saturation) {
  if (empty()) return std::nullopt;
  if (in_one_line()) {
    if (saturation >= 1) return std::nullopt;
    return remove(next_of(all_));
  }
  const auto bands = static_cast<double>(bands_.size());
  double i = 0;
  for (auto& [priority, band] : bands_) {
    const double ceiling = bands_.size() == 1 ? 1 : 1 - i * (1 - rules_.usage_limit) / (bands - 1);
    if (saturation >= ceiling) return std::nullopt;
    if (band.size() > 0) return remove(next_of(band));
    i += 1;
  }
  return std::nullopt;
}

GatewayQueue::Number GatewayQueue::next_of(Line& line) const {
  if (fairness_.takes_turns) return flow_after(line).begin()->second;
  const Number first = *line.by_entry.begin();
  if (!order_.by_deadline) return first;
  return line.flows.at(entries_.at(first).tenant).begin()->second;
}

// The tenant whose turn it is; the last one may have nothing waiting any more.
const GatewayQueue::Flow& GatewayQueue::flow_after(Line& line) const {
  auto next = line.flows.upper_bound(line.last_tenant);
  if (!semantics_.gateway_turns_go_on && !line.flows.contains(line.last_tenant)) {
    next = line.flows.begin();
  }
  if (next == line.flows.end()) next = line.flows.begin();
  line.last_tenant = next->first;
  return next->second;
}

GatewayQueue::Waiting GatewayQueue::remove(Number number) {
  auto node = entries_.extract(number);
  const Item& item = node.mapped();
  bands_.at(item.priority).erase(number, item);
  if (in_one_line()) all_.erase(number, item);
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
                     [](const auto& band) { return band.first >= 0 && band.second.size() > 0; });
}

}  // namespace plimsoll
