#include "metrics/entry_limits.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include <fmt/format.h>

#include "base/text.h"

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
  std::string of_all(std::int64_t requests) const {
    return fmt::format("{} of {} requests", grouped(requests), grouped(s_.arrived));
  }

  Limit admission() const {
    return {"admission", "admission",
            fmt::format("admission turned away {}", of_all(s_.rejected_admission)),
            admission_lever()};
  }

  std::string admission_lever() const {
    const AdmissionRules& rules = e_.deployment.admission;
    const bool by_gateway = e_.deployment.flow_control.enabled;
    if (by_gateway || rules.policy == AdmissionPolicyKind::always_admit) {
      return "let more in: larger shares of the tenants (--tenant-budgets)";
    }
    const std::string budgets = rules.tenant_budgets->empty() ? "" : ", --tenant-budgets";
    switch (rules.policy) {
      case AdmissionPolicyKind::reject_all:
        return "let some in: --admission-policy always-admit";
      case AdmissionPolicyKind::token_bucket:
        return fmt::format("let more in: {} prompt tokens/s arrive (--token-bucket-refill-rate{})",
                           three_digits(prompt_tokens_per_s()), budgets);
      case AdmissionPolicyKind::tier_shed:
        return fmt::format("{}; or let more in (--tier-shed-threshold{})", add_instances(e_),
                           budgets);
      case AdmissionPolicyKind::gaie_legacy:
        return fmt::format("{}; or let more in (--gaie-qd-threshold, --gaie-kv-threshold{})",
                           add_instances(e_), budgets);
      case AdmissionPolicyKind::always_admit:
        break;
    }
    return {};
  }

  double prompt_tokens_per_s() const {
    return ratio_or_zero(static_cast<double>(e_.prompt_tokens), static_cast<double>(s_.arrived)) *
           s_.offered_rps;
  }

  Limit routing() const {
    return {"routing", "routing",
            fmt::format("{} ask for a model that is not deployed", of_all(s_.rejected_routing)),
            "deploy that model, or let the traffic name the one that is (`model` of its clients)"};
  }

  Limit gateway_queue() const {
    std::vector<std::string> parts;
    const double mean_s =
        ratio_or_zero(to_seconds(gateway_.total_wait), static_cast<double>(gateway_.dispatched));
    if (mean_s > 0) {
      parts.push_back(fmt::format("requests wait for {} of their time at the gateway (mean {})",
                                  percent(e_.time_share(e_.times.gateway)), ms_or_s(mean_s)));
    }
    if (lost_at_gateway() > 0) parts.push_back("it gave up " + of_all(lost_at_gateway()));
    if (gateway_.still_queued > 0) {
      parts.push_back(of_all(gateway_.still_queued) + " are still there");
    }
    return {"gateway", "gateway", join(parts, "; "), gateway_lever()};
  }

  std::string gateway_lever() const {
    if (!e_.instances_have_room()) return add_instances(e_);
    const FlowControl& rules = e_.deployment.flow_control;
    std::string lever = "let more through, the instances have room: ";
    if (rules.signal == SaturationSignal::concurrency) {
      // The square-root rule of staffing (Halfin and Whitt 1981): the mean load and some more for
      // its fluctuation, which is its root.
      const double load = s_.offered_rps * in_instance_s() / static_cast<double>(e_.instances());
      const auto enough = static_cast<std::int64_t>(std::ceil(load + 2 * std::sqrt(load)));
      lever += fmt::format("--max-concurrency {} instead of {}",
                           grouped(std::max(enough, rules.max_concurrency + 1)),
                           grouped(rules.max_concurrency));
    } else {
      lever += "a higher --queue-depth-threshold or --kv-cache-util-threshold";
    }
    if (rules.usage_limit < 1) lever += ", a higher --usage-limit-threshold";
    return lever;
  }

  double in_instance_s() const {
    return ratio_or_zero(e_.times.e2e - e_.times.gateway, e_.completed());
  }

  Limit latency() const {
    return {"gateway", "gateway latency",
            fmt::format("admission and routing take {} of the {} that a request takes on average",
                        ms_or_s(latency_s()), ms_or_s(e_.times.e2e / e_.completed())),
            "a faster way to the instances (--admission-latency, --routing-latency)"};
  }

  Limit deadlines() const {
    const bool room = e_.instances_have_room();
    const std::string lever = room ? "more time (--timeout) or faster answers (TP, another GPU): "
                                     "the instances have room"
                                   : add_instances(e_) + "; or more time (--timeout)";
    return {"deadlines", "deadlines",
            fmt::format("{} were not served within their time; the latencies are of the others",
                        of_all(s_.cluster.timed_out)),
            lever, room};
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
