#include "metrics/entry_limits.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "cluster/saturation_signal.h"

namespace plimsoll {
namespace {

constexpr double kManyLost = 0.05;   // of all that arrived: the steady-state verdict's tolerance
constexpr double kLongShare = 0.10;  // of the time of completed requests

class EntryLimits {
 public:
  explicit EntryLimits(const LoadEvidence& evidence)
      : e_(evidence), s_(evidence.summary), gateway_(s_.gateway) {}

  // The cause of most losses, if there are many; else a gateway that takes long.
  std::optional<Limit> find() const {
    struct Loss {
      std::int64_t requests;
      Limit (EntryLimits::*limit)() const;
    };
    const Loss losses[] = {{s_.rejected_admission, &EntryLimits::admission},
                           {s_.rejected_routing, &EntryLimits::routing},
                           {lost_at_gateway(), &EntryLimits::gateway_queue},
                           {s_.cluster.timed_out, &EntryLimits::deadlines}};
    std::int64_t lost = 0;
    for (const Loss& loss : losses) lost += loss.requests;
    if (e_.share(lost) > kManyLost) {
      const Loss& most = *std::ranges::max_element(losses, {}, &Loss::requests);
      return (this->*most.limit)();
    }
    if (e_.share(gateway_.still_queued) > kManyLost) return gateway_queue();
    if (e_.time_share(e_.times.gateway) <= kLongShare) return std::nullopt;
    if (2 * to_seconds(gateway_.total_wait) > e_.times.gateway) return gateway_queue();
    if (2 * latency_s() * e_.completed() > e_.times.gateway) return latency();
    return std::nullopt;  // an overhead of the step-time model
  }

 private:
  std::int64_t lost_at_gateway() const {
    return gateway_.rejected + gateway_.shed + gateway_.expired + gateway_.evicted;
  }
  double latency_s() const {
    return to_seconds(e_.deployment.admission_latency + e_.deployment.routing_latency);
  }

  Limit admission() const {
    return {LimitKind::admission,
            ShortResource::admission,
            {LimitCause::turned_away, s_.rejected_admission, s_.arrived},
            admission_lever()};
  }

  Because<Remedy> admission_lever() const {
    const std::string& policy = e_.deployment.admission;
    const bool has_budgets = !e_.deployment.tenant_budgets.empty();
    if (e_.deployment.flow_control.enabled || policy == "always-admit") {
      return Remedy::larger_budgets;
    }
    if (policy == "reject-all") return Remedy::admit_always;
    if (policy == "token-bucket")
      return {Remedy::faster_refill, prompt_tokens_per_s(), has_budgets};
    Because<Remedy> lever = add_instances(e_);
    lever.figures[2] = has_budgets ? 1 : 0;
    if (policy == "tier-shed") lever.cause = Remedy::tier_threshold;
    if (policy == "gaie-legacy") lever.cause = Remedy::gaie_thresholds;
    return lever;
  }

  double prompt_tokens_per_s() const {
    return ratio_or_zero(static_cast<double>(e_.prompt_tokens), static_cast<double>(s_.arrived)) *
           s_.offered_rps;
  }

  Limit routing() const {
    return {LimitKind::routing,
            ShortResource::routing,
            {LimitCause::other_model, s_.rejected_routing, s_.arrived},
            Remedy::deploy_model};
  }

  Limit gateway_queue() const {
    const double mean_s =
        ratio_or_zero(to_seconds(gateway_.total_wait), static_cast<double>(gateway_.dispatched));
    return {LimitKind::gateway,
            ShortResource::gateway,
            {LimitCause::gateway, e_.time_share(e_.times.gateway), mean_s, lost_at_gateway(),
             gateway_.still_queued, s_.arrived},
            gateway_lever()};
  }

  Because<Remedy> gateway_lever() const {
    if (!e_.instances_have_room()) return add_instances(e_);
    const FlowControl& rules = e_.deployment.flow_control;
    const bool is_lowered = rules.usage_limit < 1;
    if (rules.signal != "concurrency") return {Remedy::higher_thresholds, is_lowered};
    // The square-root rule of staffing (Halfin and Whitt 1981): the mean load and some more for
    // its fluctuation, which is its root.
    const double load = s_.offered_rps * in_instance_s() / static_cast<double>(e_.instances());
    const auto enough = static_cast<std::int64_t>(std::ceil(load + 2 * std::sqrt(load)));
    const Parameters parameters(policy_of(saturation_signals(), *rules.signal).parameters,
                                e_.deployment.parameters);
    const auto today = static_cast<std::int64_t>(parameters["max-concurrency"]);
    return {Remedy::more_concurrency, std::max(enough, today + 1), today, is_lowered};
  }

  double in_instance_s() const {
    return ratio_or_zero(e_.times.e2e - e_.times.gateway, e_.completed());
  }

  Limit latency() const {
    return {LimitKind::gateway,
            ShortResource::gateway_latency,
            {LimitCause::way_in, latency_s(), e_.times.e2e / e_.completed()},
            Remedy::shorter_way_in};
  }

  Limit deadlines() const {
    const bool room = e_.instances_have_room();
    Because<Remedy> lever = add_instances(e_);
    lever.cause = Remedy::instances_or_time;
    if (room) lever = Remedy::more_time;
    return {LimitKind::deadlines,
            ShortResource::deadlines,
            {LimitCause::out_of_time, s_.cluster.timed_out, s_.arrived},
            lever,
            room};
  }

  const LoadEvidence& e_;
  const Summary& s_;
  const GatewayRecord& gateway_;
};

}  // namespace

std::optional<Limit> limit_before_instances(const LoadEvidence& evidence) {
  return EntryLimits(evidence).find();
}

}  // namespace plimsoll
