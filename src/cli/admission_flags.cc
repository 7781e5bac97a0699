// The flags of admission and of the gateway queue.
#include <array>

#include <fmt/format.h>

#include "base/text.h"
#include "cli/flag_rows.h"
#include "cluster/admission.h"
#include "cluster/gateway_queue.h"
#include "cluster/saturation_signal.h"
#include "workload/slo_class.h"

namespace plimsoll {
namespace {

Refusal unknown_class(std::string_view name) {
  return {.message = "names an unknown SLO class \"" + std::string(name) + "\"",
          .hint = suggestion(name, names_of(slo_classes()))};
}

// "CLASS=N,..." of the classes whose number is not the usual one; of the first if none is.
std::string by_class(const std::function<std::int64_t(SloClass)>& of,
                     const std::function<std::int64_t(SloClass)>& usual) {
  std::vector<std::string> pairs;
  for (const Choice<SloClass>& row : slo_classes()) {
    if (of(*row.value) == usual(*row.value)) continue;
    pairs.push_back(fmt::format("{}={}", row.name, of(*row.value)));
  }
  const Choice<SloClass>& first = slo_classes().front();
  return pairs.empty() ? fmt::format("{}={}", first.name, of(*first.value)) : join(pairs, ",");
}

Value slo_priorities() {
  return pairs<SloPriorities>(
      &ClusterSpec::priorities,
      [](SloPriorities* priorities, std::string_view name,
         std::string_view value) -> std::optional<Refusal> {
        const auto slo_class = value_of(slo_classes(), name);
        if (!slo_class) return unknown_class(name);
        long long priority = 0;
        if (!parse_int(value, &priority) || priority < SloPriorities::kLowest ||
            priority > SloPriorities::kHighest) {
          return Refusal{.must = "whole numbers from -100 to 100 by class"};
        }
        priorities->set(*slo_class, static_cast<std::int32_t>(priority));
        return std::nullopt;
      },
      [](const SloPriorities& priorities) {
        return by_class([&](SloClass c) { return priorities.of(c); },
                        [](SloClass c) { return SloPriorities().of(c); });
      });
}

Value slo_targets() {
  using Targets = std::array<Duration, kSloClasses>;
  return pairs<Targets>(
      &FlowControl::slo_targets,
      [](Targets* targets, std::string_view name,
         std::string_view value) -> std::optional<Refusal> {
        const auto slo_class = value_of(slo_classes(), name);
        if (!slo_class) return unknown_class(name);
        long long us = 0;
        if (!parse_int(value, &us) || us < 1 || us > kLongestUs) {
          return Refusal{.must = "positive whole numbers of microseconds by class"};
        }
        (*targets)[static_cast<std::size_t>(*slo_class)] = microseconds(us);
        return std::nullopt;
      },
      [](const Targets& targets) {
        return by_class([&](SloClass c) { return targets[static_cast<std::size_t>(c)].ns / 1000; },
                        [](SloClass) { return 0; });
      });
}

Value tenant_budgets() {
  using Budgets = TenantShares;
  return pairs<Budgets>(
      &ClusterSpec::tenant_budgets,
      [](Budgets* budgets, std::string_view name,
         std::string_view value) -> std::optional<Refusal> {
        double share = 0;
        if (!parse_double(value, &share) || !(share >= 0 && share <= 1)) {
          return Refusal{.must = "shares from 0 to 1 by tenant"};
        }
        (*budgets)[std::string(name)] = share;
        return std::nullopt;
      },
      [](const Budgets& budgets) {
        std::vector<std::string> texts;
        for (const auto& [tenant, share] : budgets) texts.push_back(tenant + "=" + shortest(share));
        return join(texts, ",");
      });
}

// The gateway takes the place of the admission policy.
const Condition kAdmits{[](const RunSpec& run) { return !run.cluster.flow_control.enabled; },
                        "with --flow-control: the gateway takes the place of the admission policy"};

const Condition kHolds{[](const RunSpec& run) { return *run.cluster.flow_control.enabled; },
                       "without --flow-control"};

const Condition kKnowsWhenFull{
    [](const RunSpec& run) { return run.cluster.flow_control.signal != "never"; },
    "without --saturation-detector utilization or concurrency: nothing is ever held back"};
const std::vector<Condition> kHoldsBack{kHolds, kKnowsWhenFull};
const Condition kHasDeadlines{
    [](const RunSpec& run) { return run.cluster.flow_control.order == "slo-deadline"; },
    "without --dispatch-order slo-deadline"};
const Condition kCanBeFull{[](const RunSpec& run) {
                             return run.cluster.flow_control.max_depth > 0 ||
                                    run.cluster.flow_control.band_capacity > 0;
                           },
                           "without --max-gateway-queue-depth or --per-band-capacity"};

}  // namespace

void add_admission_flags(std::vector<Flag>& all) {
  const Rows rows{all, FlagGroup::admission};
  rows.add("--admission-policy", one_of(&ClusterSpec::admission, names_of(admission_policies())),
           "NAME", "Which requests are admitted (plimsoll list admission)", {}, {kAdmits});
  rows.add("--admission-latency", integer(&ClusterSpec::admission_latency_us, {0, kLongestUs}),
           "US", "Microseconds an admission decision takes");
  add_parameter_flags(rows, "--admission-policy", {kAdmits});
  rows.add(
      "--slo-priorities",
      slo_priorities().usually("critical=4, standard=3, batch=-1, sheddable=-2, background=-3"),
      "CLASS=N,...", "Priorities of SLO classes, higher is more urgent, below 0 may be shed");
  rows.add("--tenant-budgets", tenant_budgets(), "TENANT=SHARE,...",
           "Share of all places in batches that a tenant's sheddable requests may fill");
  rows.add("--policy-config", text(&ClusterSpec::policy_config), "FILE",
           "Policies from a YAML file in BLIS format; flags on the command line win");
}

void add_gateway_flags(std::vector<Flag>& all) {
  const Rows rows{all, FlagGroup::admission};
  rows.add("--flow-control", on_off(&FlowControl::enabled), "",
           "Hold requests at the gateway while the cluster is full; replaces admission", {},
           {kKnowsWhenFull});
  rows.add("--saturation-detector", one_of(&FlowControl::signal, names_of(saturation_signals())),
           "NAME",
           "What tells the gateway that the cluster is full: never, utilization, concurrency", {},
           {kHolds});
  add_parameter_flags(rows, "--saturation-detector", {kHolds});
  // What benchmarks call so is something else.
  const auto places = std::ranges::find(all.rbegin(), all.rend(), "--max-concurrency", &Flag::name);
  places->conditions.front().otherwise += "; for a closed loop of N users, use --concurrency N";
  rows.add("--dispatch-order", one_of(&FlowControl::order, names_of(dispatch_orders())), "NAME",
           "Which request leaves the gateway first: fifo, priority, slo-deadline", {}, kHoldsBack);
  add_parameter_flags(rows, "--dispatch-order", kHoldsBack);
  rows.add(
      "--slo-targets", slo_targets(), "CLASS=US,...",
      "Deadlines of SLO classes in microseconds after arrival, for --dispatch-order slo-deadline",
      {}, {kHolds, kKnowsWhenFull, kHasDeadlines});
  rows.add("--fairness-policy", one_of(&FlowControl::fairness, names_of(fairness_policies())),
           "NAME", "Which tenant of a class is next: global-strict (longest wait), round-robin", {},
           kHoldsBack);
  add_parameter_flags(rows, "--fairness-policy", kHoldsBack);
  rows.add("--usage-limit-threshold", number(&FlowControl::usage_limit, {0, 1, true}), "SHARE",
           "Saturation at which the least urgent class is held back", {}, kHoldsBack);
  rows.add("--max-gateway-queue-depth", integer(&FlowControl::max_depth, {0, kMostTokens}), "N",
           "Requests that the gateway holds at most; 0 = no limit", {}, kHoldsBack);
  rows.add("--per-band-capacity", integer(&FlowControl::band_capacity, {0, kMostTokens}), "N",
           "Requests of one priority that the gateway holds at most; 0 = no limit", {}, kHoldsBack);
  rows.add("--queue-shedding", on_off(&FlowControl::queue_shedding), "",
           "A full gateway drops a sheddable request for a more urgent one", {},
           {kHolds, kKnowsWhenFull, kCanBeFull});
  rows.add("--in-flight-eviction", on_off(&FlowControl::in_flight_eviction), "",
           "Evict sheddable requests from instances for more urgent ones", {}, kHoldsBack);
  rows.add("--request-ttl", duration_us(&FlowControl::request_ttl, {0, kLongestUs}), "US",
           "Longest wait at the gateway; 0 = no limit", {}, kHoldsBack);
  rows.add("--dispatch-tick-interval", duration_us(&FlowControl::tick_interval, {0, kLongestUs}),
           "US", "Microseconds between two dispatches from a waiting queue, of one request each",
           {}, kHoldsBack);
}

}  // namespace plimsoll
