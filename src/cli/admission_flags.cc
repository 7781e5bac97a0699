// The flags of admission and of the gateway queue.
#include "base/text.h"
#include "cli/choices.h"
#include "cli/flag_rows.h"
#include "workload/slo_class.h"

namespace plimsoll {
namespace {

// The rules of admission and of the gateway queue are structs inside Options.
template <class T, class Rules>
Place<T> inside(Rules Options::*rules, T Rules::*field) {
  return [=](Options& options) -> T& { return options.*rules.*field; };
}

template <class T>
Place<T> admission(T AdmissionRules::*field) {
  return inside(&Options::admission, field);
}

template <class T>
Place<T> gateway(T FlowControl::*field) {
  return inside(&Options::flow_control, field);
}

Refusal unknown_class(std::string_view name) {
  return {.message = "names an unknown SLO class \"" + std::string(name) + "\"",
          .hint = suggestion(name, names_of(slo_classes()))};
}

Value slo_priorities() {
  return pairs([](Options& options) { options.priorities = {}; },
               [](Options& options, std::string_view name,
                  std::string_view value) -> std::optional<Refusal> {
                 const auto slo_class = value_of(slo_classes(), name);
                 if (!slo_class) return unknown_class(name);
                 long long priority = 0;
                 if (!parse_int(value, &priority) || priority < SloPriorities::kLowest ||
                     priority > SloPriorities::kHighest) {
                   return Refusal{.must = "whole numbers from -100 to 100 by class"};
                 }
                 options.priorities.set(*slo_class, static_cast<std::int32_t>(priority));
                 return std::nullopt;
               });
}

Value slo_targets() {
  return pairs(
      [](Options& options) { options.flow_control.slo_targets = FlowControl().slo_targets; },
      [](Options& options, std::string_view name,
         std::string_view value) -> std::optional<Refusal> {
        const auto slo_class = value_of(slo_classes(), name);
        if (!slo_class) return unknown_class(name);
        long long us = 0;
        if (!parse_int(value, &us) || us < 1 || us > kLongestUs) {
          return Refusal{.must = "positive whole numbers of microseconds by class"};
        }
        auto& targets = options.flow_control.slo_targets;
        targets[static_cast<std::size_t>(*slo_class)] = microseconds(us);
        return std::nullopt;
      });
}

Value tenant_budgets() {
  return pairs([](Options& options) { options.admission.tenant_budgets.clear(); },
               [](Options& options, std::string_view name,
                  std::string_view value) -> std::optional<Refusal> {
                 double share = 0;
                 if (!parse_double(value, &share) || !(share >= 0 && share <= 1)) {
                   return Refusal{.must = "shares from 0 to 1 by tenant"};
                 }
                 options.admission.tenant_budgets[std::string(name)] = share;
                 return std::nullopt;
               });
}

}  // namespace

void add_admission_flags(std::vector<Flag>& all) {
  const Rows rows{all, FlagGroup::admission};
  rows.add("--admission-policy", one_of(admission(&AdmissionRules::policy), admission_choices()),
           "NAME", "Who is let in (plimsoll list admission)");
  rows.add("--admission-latency", integer(&Options::admission_latency_us, {0, kLongestUs}), "US",
           "Microseconds an admission decision takes");
  rows.add("--token-bucket-capacity",
           number(admission(&AdmissionRules::token_bucket_capacity), kPositive), "TOKENS",
           "Prompt tokens the bucket holds");
  rows.add("--token-bucket-refill-rate",
           number(admission(&AdmissionRules::token_bucket_refill_rate), kPositive), "TOKENS/S",
           "Prompt tokens per second that refill it");
  rows.add("--tier-shed-threshold",
           integer(admission(&AdmissionRules::tier_shed_threshold), {0, kMostTokens}), "N",
           "Effective load of the busiest instance above which tier-shed turns requests away");
  rows.add("--tier-shed-min-priority",
           integer(admission(&AdmissionRules::tier_shed_min_priority),
                   {SloPriorities::kLowest, SloPriorities::kHighest}),
           "N", "Classes of this priority or a higher one enter all the same");
  rows.add("--gaie-qd-threshold",
           number(admission(&AdmissionRules::gaie_queue_depth_threshold), kPositive), "N",
           "Waiting requests per instance that gaie-legacy takes for full");
  rows.add("--gaie-kv-threshold",
           number(admission(&AdmissionRules::gaie_kv_threshold), {0, 1, true}), "SHARE",
           "Share of KV blocks in use that gaie-legacy takes for full");
  rows.add("--slo-priorities", slo_priorities(), "CLASS=N,...",
           "Priorities of SLO classes, higher is more urgent, below 0 may be shed "
           "[critical=4,standard=3,batch=-1,sheddable=-2,background=-3]");
  rows.add("--tenant-budgets", tenant_budgets(), "TENANT=SHARE,...",
           "Share of all places in batches that a tenant's sheddable requests may fill");
  rows.add("--policy-config", text(&Options::policy_config), "FILE",
           "Policies from a YAML file in the reference's form; flags on the command line win");
  rows.add("--flow-control", on_off(gateway(&FlowControl::enabled)), "",
           "Hold requests at the gateway while the cluster is full, instead of admission");
  rows.add("--saturation-detector",
           one_of(gateway(&FlowControl::signal), saturation_signal_choices()), "NAME",
           "What tells the gateway that the cluster is full: never, utilization, concurrency");
  rows.add("--queue-depth-threshold",
           number(gateway(&FlowControl::queue_depth_threshold), kPositive), "N",
           "Waiting requests per instance that utilization takes for full");
  rows.add("--kv-cache-util-threshold",
           number(gateway(&FlowControl::kv_utilization_threshold), kPositive), "SHARE",
           "Share of KV blocks in use that utilization takes for full");
  rows.add("--max-concurrency", integer(gateway(&FlowControl::max_concurrency), {1, kMostTokens}),
           "N", "Requests in flight per instance that concurrency takes for full");
  rows.add("--dispatch-order", one_of(gateway(&FlowControl::order), dispatch_order_choices()),
           "NAME", "Which request leaves the gateway first: fifo, priority, slo-deadline");
  rows.add("--slo-targets", slo_targets(), "CLASS=US,...",
           "Microseconds from entry to deadline, for --dispatch-order slo-deadline");
  rows.add("--fairness-policy", one_of(gateway(&FlowControl::fairness), fairness_choices()), "NAME",
           "Which tenant of a class is next: global-strict (the longest wait), round-robin");
  rows.add("--usage-limit-threshold", number(gateway(&FlowControl::usage_limit), {0, 1, true}),
           "SHARE", "Saturation at which the least urgent class is held back");
  rows.add("--max-gateway-queue-depth", integer(gateway(&FlowControl::max_depth), {0, kMostTokens}),
           "N", "Requests the gateway holds at most; 0 = all");
  rows.add("--per-band-capacity", integer(gateway(&FlowControl::band_capacity), {0, kMostTokens}),
           "N", "Requests of one priority it holds at most; 0 = all");
  rows.add("--queue-shedding", on_off(gateway(&FlowControl::queue_shedding)), "",
           "A full gateway gives up a sheddable request for a more urgent one");
  rows.add("--in-flight-eviction", on_off(gateway(&FlowControl::in_flight_eviction)), "",
           "Sheddable requests lose their place in an instance to more urgent ones");
  rows.add("--request-ttl", duration_us(gateway(&FlowControl::request_ttl), {0, kLongestUs}), "US",
           "Longest wait at the gateway; 0 = for ever");
  rows.add("--dispatch-tick-interval",
           duration_us(gateway(&FlowControl::tick_interval), {0, kLongestUs}), "US",
           "Microseconds between two looks at a waiting queue: one request leaves at each");
}

}  // namespace plimsoll
