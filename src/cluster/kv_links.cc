#include "cluster/kv_links.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace plimsoll {
namespace {

// A gigabyte a second is a byte a nanosecond.
Duration whole_ns(double ns) { return nanoseconds(static_cast<std::int64_t>(std::ceil(ns))); }

}  // namespace

KvLinks::KvLinks(const KvTransfer& rules, bool retimed, std::vector<double> gb_per_s)
    : rules_(rules), retimed_(retimed), gb_per_s_(std::move(gb_per_s)) {
  record_.begun_at_port.resize(gb_per_s_.size());
  taken_until_ns_.resize(gb_per_s_.size());
  gb_per_s_.push_back(rules.network_gb_per_s > 0 ? rules.network_gb_per_s
                                                 : std::numeric_limits<double>::infinity());
  at_stage_.resize(gb_per_s_.size());
}

void KvLinks::start(Time now, std::uint32_t row, const Load& load) {
  Flow flow{row, load, stages_of(load), now, 0, 0, now, 1, kNever};
  flow.alone_ns = std::ranges::max(flow.stages, {}, &Stage::alone_ns).alone_ns;
  flow.left_ns = left_ns(flow);
  ++record_.begun;
  record_.begun_at_port[load.from] += load.sent;
  record_.begun_at_port[load.to] += load.received;
  record_.begun_whole += load.whole;
  const std::int64_t now_under_way = under_way() + 1;
  record_.under_way_at_starts += now_under_way;
  record_.most_at_once = std::max(record_.most_at_once, now_under_way);
  if (!retimed_) {
    const double left =
        rules_.layerwise ? flow.left_ns * rules_.gb_per_s : std::max(load.sent, load.received);
    arrive_at(now + time_with_fixed_share(left), flow);
  } else if (!rules_.shared) {
    arrive_at(now + whole_ns(flow.left_ns) + rules_.latency, flow);
  } else {
    count_at_stages(flow, 1);
    flows_.push_back(flow);
    retime(now);
  }
}

KvLinks::Stages KvLinks::stages_of(const Load& load) const {
  const std::size_t network = gb_per_s_.size() - 1;
  return {Stage{load.from, load.sent / gb_per_s_[load.from]},
          Stage{load.to, load.received / gb_per_s_[load.to]},
          Stage{network, load.whole / gb_per_s_[network]}};
}

void KvLinks::count_at_stages(const Flow& flow, int flows) {
  for (const Stage& stage : flow.stages) at_stage_[stage.at] += flows;
}

// What both ports had left while the prompt was computed went by before the transfer began; the
// last layer is sent when it has been computed. Nobody limits the network then (setup/pools.cc).
double KvLinks::left_ns(const Flow& flow) {
  if (!rules_.layerwise) return flow.alone_ns;
  const auto end = static_cast<double>(flow.load.computed.ns);
  const double begin = end - static_cast<double>(flow.load.prefill.ns);
  double from = begin;
  if (rules_.shared && retimed_) {
    for (const Stage& stage : {flow.stages[0], flow.stages[1]}) {
      double& taken_until = taken_until_ns_[stage.at];
      from = std::max(from, taken_until);
      taken_until = std::max(taken_until, begin) + stage.alone_ns;
    }
  }
  const double most = flow.alone_ns * (1 - 1 / static_cast<double>(rules_.layers));
  return flow.alone_ns - std::clamp(end - from, 0.0, most);
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
    flow.slowdown = 1;
    for (const Stage& stage : flow.stages) {
      // Nothing is sent where nobody knows how large a block is.
      if (stage.alone_ns == 0) continue;
      const auto flows = static_cast<double>(at_stage_[stage.at]);
      flow.slowdown = std::max(flow.slowdown, flows * (stage.alone_ns / flow.alone_ns));
    }
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
  count_at_stages(*first, -1);
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
  count_at_stages(*flow, -1);
  flows_.erase(flow);
  retime(now);
}

}  // namespace plimsoll
