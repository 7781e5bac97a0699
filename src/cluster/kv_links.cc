#include "cluster/kv_links.h"

#include <algorithm>
#include <cmath>

namespace plimsoll {
namespace {

// A gigabyte a second is a byte a nanosecond.
Duration whole_ns(double ns) { return nanoseconds(static_cast<std::int64_t>(std::ceil(ns))); }

}  // namespace

void KvLinks::start(Time now, std::uint32_t row, std::size_t from, std::size_t to, Bytes bytes) {
  Flow flow{row, from, to, bytes.all, now, bytes.left / rules_.gb_per_s, now, 1, kNever};
  ++record_.begun;
  record_.begun_bytes += bytes.all;
  const std::int64_t now_under_way = under_way() + 1;
  record_.under_way_at_starts += now_under_way;
  record_.most_at_once = std::max(record_.most_at_once, now_under_way);
  if (!retimed_) {
    arrive_at(now + time_with_fixed_share(bytes.left), flow);
  } else if (!rules_.shared) {
    arrive_at(now + whole_ns(flow.left_ns) + rules_.latency, flow);
  } else {
    ++at_port_[from];
    ++at_port_[to];
    flows_.push_back(flow);
    retime(now);
  }
}

// The reference's: whole microseconds, at least one.
Duration KvLinks::time_with_fixed_share(double bytes) const {
  const auto sharers = static_cast<double>(rules_.shared ? under_way() + 1 : 1);
  const double bytes_per_us = rules_.gb_per_s * 1000 / sharers;
  return duration_from_us(std::max(1.0, std::ceil(to_us(rules_.latency) + bytes / bytes_per_us)));
}

void KvLinks::arrive_at(Time at, const Flow& flow) {
  arriving_.insert({at, orders_++, flow.row, flow.bytes, flow.started});
}

// What each flow has sent since the last look, and when it will have sent the rest.
void KvLinks::retime(Time now) {
  for (Flow& flow : flows_) {
    flow.left_ns -= static_cast<double>((now - flow.looked).ns) / static_cast<double>(flow.sharers);
    flow.left_ns = std::max(flow.left_ns, 0.0);
    flow.looked = now;
    flow.sharers = std::max(at_port_[flow.from], at_port_[flow.to]);
    flow.end = now + whole_ns(flow.left_ns * static_cast<double>(flow.sharers));
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
    record_.bytes += first.bytes;
    record_.time += now - first.started;
    return {true, first.row};
  }
  const auto first = std::ranges::min_element(flows_, {}, &Flow::end);
  --at_port_[first->from];
  --at_port_[first->to];
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
  --at_port_[flow->from];
  --at_port_[flow->to];
  flows_.erase(flow);
  retime(now);
}

}  // namespace plimsoll
