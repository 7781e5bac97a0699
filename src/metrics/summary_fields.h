// The fields of what a summary is made of, to be kept without loss (base/fields.h).
#pragma once

#include <variant>

#include "base/fields.h"
#include "metrics/figures.h"
#include "metrics/summary.h"
#include "stats/batch_means.h"

namespace plimsoll {

template <class Visitor>
void visit_fields(Visitor& v, LatencySummary& s) {
  for (const Statistic& statistic : kStatistics) v(statistic.name, s.*statistic.member);
}

template <class Visitor>
void visit_fields(Visitor& v, Efficiency& s) {
  for (const GroupFigure& row : kGroupFigures) {
    if (const auto* share = std::get_if<EfficiencyShare>(&row.member)) v(row.key, s.**share);
  }
}

template <class Visitor>
void visit_fields(Visitor& v, GroupSummary& s) {
  v("name", s.name);
  for (const GroupFigure& row : kGroupFigures) {
    std::visit(
        [&](auto member) {
          if constexpr (requires { s.*member; }) v(row.key, s.*member);
        },
        row.member);
  }
  v("efficiency", s.efficiency);
}

template <class Visitor>
void visit_fields(Visitor& v, Bottleneck& s) {
  auto& [limit, resource, reason, lever, by_deadline_alone, holds_anyway] = static_cast<Limit&>(s);
  v("limit", limit)("resource", resource)("reason", reason)("lever", lever);
  v("by_deadline_alone", by_deadline_alone)("holds_anyway", holds_anyway);
  v("gateway_share", s.gateway_share);
  v("queue_share", s.queue_share);
  v("prefill_share", s.prefill_share);
  v("decode_wait_share", s.decode_wait_share);
  v("transfer_share", s.transfer_share);
  v("decode_queue_share", s.decode_queue_share);
  v("prefill_stall_share", s.prefill_stall_share);
  v("decode_share", s.decode_share);
  v("preemption_share", s.preemption_share);
  // A struct with a base cannot be taken apart by name.
  static_assert(sizeof(Bottleneck) == sizeof(Limit) + 9 * sizeof(double));
}

template <class Visitor>
void visit_fields(Visitor& v, MetricInterval& s) {
  auto& [metric, low, high] = s;
  v("metric", metric)("low", low)("high", high);
}

template <class Visitor>
void visit_fields(Visitor& v, Interval& s) {
  auto& [low, high] = s;
  v("low", low)("high", high);
}

template <class Visitor>
void visit_fields(Visitor& v, SteadyState& s) {
  auto& [verdict, reason, warmup_s, backlog_growth_rps, enough_requests, lost_share] = s;
  v("verdict", verdict)("reason", reason)("warmup_s", warmup_s);
  v("backlog_growth_rps", backlog_growth_rps)("enough_requests", enough_requests);
  v("lost_share", lost_share);
}

constexpr SteadyVerdict last_of(SteadyVerdict) { return SteadyVerdict::no_load; }
constexpr SteadyCause last_of(SteadyCause) { return SteadyCause::sessions_begin; }
constexpr LimitKind last_of(LimitKind) { return LimitKind::transfer; }
constexpr ShortResource last_of(ShortResource) { return ShortResource::routing; }
constexpr LimitCause last_of(LimitCause) { return LimitCause::full_decode; }
constexpr Remedy last_of(Remedy) { return Remedy::default_memory; }

}  // namespace plimsoll
