#include "cluster/kv_links.h"

#include <cmath>
#include <utility>

namespace plimsoll {
namespace {

// A gigabyte a second is a byte a nanosecond.
Duration whole_ns(double ns) { return nanoseconds(static_cast<std::int64_t>(std::ceil(ns))); }

}  // namespace

void KvLinks::start(Time now, std::uint32_t row, const Load& load) {
  Flow flow{row, load, now, 0, now, 1, kNever};
  flow.left_ns = left_ns(load, flow.most() / rules_.gb_per_s);
  ++record_.begun;
  record_.begun_bytes.sent += load.sent;
  record_.begun_bytes.received += load.received;
  const std::int64_t now_under_way = under_way() + 1;
  record_.under_way_at_starts += now_under_way;
  record_.most_at_once = std::max(record_.most_at_once, now_under_way);
  if (!retimed_) {
    const double left = rules_.layerwise ? flow.left_ns * rules_.gb_per_s : flow.most();
    arrive_at(now + time_with_fixed_share(left), flow);
  } else if (!rules_.shared) {
    arrive_at(now + whole_ns(flow.left_ns) + rules_.latency, flow);
  } else {
    ++at_port_[load.from];
    ++at_port_[load.to];
    flows_.push_back(flow);
    retime(now);
  }
}

// What a port had left while the prompt was computed went by before the transfer began; the last
// layer is sent when it has been computed.
double KvLinks::left_ns(const Load& load, double alone_ns) {
  if (!rules_.layerwise) return alone_ns;
  const auto end = static_cast<double>(load.computed.ns);
  const double begin = end - static_cast<double>(load.prefill.ns);
  double from = begin;
  if (rules_.shared && retimed_) {
    for (const auto& [port, bytes] : {std::pair(load.from, load.sent), {load.to, load.received}}) {
      double& taken_until = taken_until_ns_[port];
      from = std::max(from, taken_until);
      taken_until = std::max(taken_until, begin) + bytes / rules_.gb_per_s;
    }
  }
  const double most = alone_ns * (1 - 1 / static_cast<double>(rules_.layers));
  return alone_ns - std::clamp(end - from, 0.0, most);
}

// The reference's: whole microseconds, at least one.
Duration KvLinks::time_with_fixed_share(double bytes) const {
  const auto sharers = static_cast<double>(rules_.shared ? under_way() + 1 : 1);
  const double bytes_per_us = rules_.gb_per_s * 1000 / sharers;
  return duration_from_us(std::max(1.0, std::ceil(to_us(rules_.latency) + bytes / bytes_per_us)));
}

void KvLinks::arrive_at(Time at, const Flow& flow) {
  arriving_.insert({at, orders_++, flow.row, flow.load.sent, flow.load.received, flow.started});
}

// What each flow has sent since the last look, and when it will have sent the rest.
void KvLinks::retime(Time now) {
  for (Flow& flow : flows_) {
    flow.left_ns -= static_cast<double>((now - flow.looked).ns) / flow.slowdown;
    flow.left_ns = std::max(flow.left_ns, 0.0);
    flow.looked = now;
    const Load& load = flow.load;
    const double most = flow.most();
    // Nothing is sent where nobody knows how large a block is.
    const auto slowed_by = [&](std::size_t port, double bytes) {
      return most > 0 ? static_cast<double>(at_port_[port]) * (bytes / most) : 1;
    };
    flow.slowdown =
        std::max({1.0, slowed_by(load.from, load.sent), slowed_by(load.to, load.received)});
    flow.end = now + whole_ns(flow.left_ns * flow.slowdown);
  }
}

Time KvLinks::next_event() const {
  Time next = arriving_.empty() ? kNever : arriving_.begin()->at;
  for (const Flow& flow : flows_) next = std::min(next, flow.end);
  return next;
}

KvLinks::Ended KvLinks::run_event(Time now) {
  if (!arriving_.empty() && arriving_.begin()->at == now) {
    const Arriving first = *arriving_.begin();
    arriving_.erase(arriving_.begin());
    ++record_.ended;
    record_.bytes.sent += first.sent;
    record_.bytes.received += first.received;
    record_.time += now - first.started;
    return {true, first.row};
  }
  const auto first = std::ranges::min_element(flows_, {}, &Flow::end);
  --at_port_[first->load.from];
  --at_port_[first->load.to];
  arrive_at(now + rules_.latency, *first);
  flows_.erase(first);
  retime(now);
  return {};
}

void KvLinks::cancel(Time now, std::uint32_t row) {
  ++record_.given_up;
  std::erase_if(arriving_, [&](const Arriving& a) { return a.row == row; });
  const auto flow = std::ranges::find(flows_, row, &Flow::row);
  if (flow == flows_.end()) return;
  --at_port_[flow->load.from];
  --at_port_[flow->load.to];
  flows_.erase(flow);
  retime(now);
}

}  // namespace plimsoll
