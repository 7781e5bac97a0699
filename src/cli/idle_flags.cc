#include "cli/idle_flags.h"

#include <algorithm>
#include <set>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "cli/setup.h"
#include "metrics/goodput.h"

namespace plimsoll {
namespace {

bool holds_requests(const Options& options) { return options.flow_control.enabled; }

bool knows_when_full(const Options& options) {
  return options.flow_control.signal != SaturationSignal::never;
}

template <SaturationSignal signal>
bool looks_at(const Options& options) {
  return options.flow_control.signal == signal;
}

bool has_deadlines(const Options& options) {
  return options.flow_control.order == DispatchOrder::slo_deadline;
}

bool can_be_full(const Options& options) {
  return options.flow_control.max_depth > 0 || options.flow_control.band_capacity > 0;
}

template <AdmissionPolicyKind policy>
bool admits_by(const Options& options) {
  return options.admission.policy == policy;
}

bool knows_exchanges(const Options& options) {
  const std::string model = latency_model_name(options);
  return model == "kernel" || model == "trained-physics";
}

/// What makes flags count.
struct Condition {
  std::vector<std::string_view> flags;
  bool (*holds)(const Options& options);
  std::string_view otherwise;
};

/// The first condition of a flag that does not hold is the one to name.
const std::vector<Condition>& conditions() {
  static const std::vector<Condition> all{
      {{"--routing-scorers"},
       [](const Options& options) { return options.router == "weighted"; },
       "without --routing-policy weighted"},
      {{"--admission-policy", "--token-bucket-capacity", "--token-bucket-refill-rate",
        "--tier-shed-threshold", "--tier-shed-min-priority", "--gaie-qd-threshold",
        "--gaie-kv-threshold"},
       [](const Options& options) { return !holds_requests(options); },
       "with --flow-control: the gateway takes the place of the admission policy"},
      {{"--token-bucket-capacity", "--token-bucket-refill-rate"},
       admits_by<AdmissionPolicyKind::token_bucket>,
       "without --admission-policy token-bucket"},
      {{"--tier-shed-threshold", "--tier-shed-min-priority"},
       admits_by<AdmissionPolicyKind::tier_shed>,
       "without --admission-policy tier-shed"},
      {{"--gaie-qd-threshold", "--gaie-kv-threshold"},
       admits_by<AdmissionPolicyKind::gaie_legacy>,
       "without --admission-policy gaie-legacy"},
      {{"--saturation-detector", "--queue-depth-threshold", "--kv-cache-util-threshold",
        "--max-concurrency", "--dispatch-order", "--slo-targets", "--fairness-policy",
        "--usage-limit-threshold", "--max-gateway-queue-depth", "--per-band-capacity",
        "--queue-shedding", "--in-flight-eviction", "--request-ttl", "--dispatch-tick-interval"},
       holds_requests,
       "without --flow-control"},
      {{"--queue-depth-threshold", "--kv-cache-util-threshold"},
       looks_at<SaturationSignal::utilization>,
       "without --saturation-detector utilization"},
      {{"--max-concurrency"},
       looks_at<SaturationSignal::concurrency>,
       "without --saturation-detector concurrency"},
      {{"--flow-control", "--dispatch-order", "--slo-targets", "--fairness-policy",
        "--usage-limit-threshold", "--max-gateway-queue-depth", "--per-band-capacity",
        "--queue-shedding", "--in-flight-eviction", "--request-ttl", "--dispatch-tick-interval"},
       knows_when_full,
       "without --saturation-detector utilization or concurrency: nothing is ever held back"},
      {{"--moe-comm-backend"},
       [](const Options& options) { return options.dp > 1; },
       "without --dp above 1: there is nothing to exchange"},
      {{"--moe-comm-backend"},
       [](const Options& options) { return knows_exchanges(options); },
       "with this --latency-model: kernel and trained-physics know exchanges"},
      {{"--moe-comm-backend"},
       [](const Options& options) {
         return options.expert_parallel || latency_model_name(options) != "kernel";
       },
       "without --enable-expert-parallel: every rank has a slice of all experts, so all tokens"},
      {{"--expert-imbalance"},
       [](const Options& options) { return options.expert_parallel; },
       "without --enable-expert-parallel"},
      {{"--acceptance-rate", "--draft-model", "--draft-ms"},
       [](const Options& options) { return options.num_speculative_tokens > 0; },
       "without --num-speculative-tokens"},
      {{"--ignore-rules"},
       [](const Options& options) { return options.semantics == SemanticsMode::vllm; },
       "with --semantics blis: the reference simulator refuses nothing"},
      {{"--slo-targets"}, has_deadlines, "without --dispatch-order slo-deadline"},
      {{"--queue-shedding"},
       can_be_full,
       "without --max-gateway-queue-depth or --per-band-capacity"},
  };
  return all;
}

/// By the command line or a policy bundle; a switch that is off asks for nothing.
bool asks_for(const Options& options, std::string_view flag) {
  const auto given = options.given.find(flag);
  if (given != options.given.end()) return given->second != "false";
  return options.from_file.contains(flag);
}

/// Of `class=500ms,class=2s,1s`.
std::vector<std::string> classes_named(std::string_view limits) {
  std::vector<std::string> names;
  while (!limits.empty()) {
    const std::string_view item = limits.substr(0, limits.find(','));
    if (const std::size_t equals = item.find('='); equals != std::string_view::npos) {
      names.emplace_back(item.substr(0, equals));
    }
    limits.remove_prefix(std::min(item.size() + 1, limits.size()));
  }
  return names;
}

bool arrived(const Summary& summary, const std::string& slo_class) {
  return summary.goodput &&
         std::ranges::any_of(summary.goodput->classes, [&](const ClassGoodput& c) {
           return c.name == slo_class && c.figures.arrived > 0;
         });
}

}  // namespace

std::vector<std::string> notes_on_idle_flags(const Options& options) {
  std::vector<std::string> notes;
  std::set<std::string_view> idle;
  for (const Condition& condition : conditions()) {
    if (condition.holds(options)) continue;
    for (const std::string_view flag : condition.flags) {
      if (!asks_for(options, flag) || !idle.insert(flag).second) continue;
      notes.push_back(fmt::format("{} has no effect {}", flag, condition.otherwise));
    }
  }
  return notes;
}

std::vector<std::string> notes_on_absent_names(const Options& options, const Summary& summary) {
  std::vector<std::string> notes;
  const auto absent = [&](std::string_view flag, std::string_view what, const std::string& name) {
    notes.push_back(fmt::format("{} names {} \"{}\", but no request has it", flag, what, name));
  };
  for (const auto& [flag, text] :
       {std::pair("--slo-ttft", &options.slo_ttft), std::pair("--slo-itl", &options.slo_itl),
        std::pair("--slo-e2e", &options.slo_e2e)}) {
    for (const std::string& name : classes_named(*text)) {
      if (!arrived(summary, name)) absent(flag, "class", name);
    }
  }
  for (const auto& [tenant, share] : options.admission.tenant_budgets) {
    const bool known = std::ranges::count(summary.tenants, tenant, &TrafficGroup::name) > 0;
    if (!known) absent("--tenant-budgets", "tenant", tenant);
  }
  return notes;
}

}  // namespace plimsoll
