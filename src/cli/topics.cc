#include "cli/topics.h"

#include "base/lists.h"
#include "base/text.h"
#include "cli/catalog_topics.h"
#include "cli/glossary.h"
#include "cli/verbs.h"
#include "cluster/admission.h"
#include "cluster/gateway_queue.h"
#include "cluster/pd_decider.h"
#include "cluster/router.h"
#include "cluster/saturation_signal.h"
#include "cluster/scorer.h"
#include "engine/batching_rule.h"
#include "engine/preemption.h"
#include "engine/scheduler.h"
#include "forecast/demand/scenario.h"
#include "forecast/outlook/methods.h"
#include "metrics/fitness.h"
#include "metrics/latency.h"
#include "metrics/saturation.h"
#include "perf/engine_rules.h"
#include "perf/latency_models.h"
#include "perf/parallelism.h"
#include "planner/plan_request.h"
#include "planner/slo.h"
#include "setup/choices.h"
#include "setup/policies.h"
#include "workload/arrival_process.h"
#include "workload/length_distribution.h"
#include "workload/slo_class.h"
#include "workload/synthetic.h"
#include "workload/trace_formats.h"

namespace plimsoll {
namespace {

/// A table of names, each with a line that says what it is.
Table named_things() { return {{{"name"}, {"help"}}, {}}; }

template <class E>
Result<Table> choices(Choices<E> all) {
  Table table = named_things();
  for (const Choice<E>& choice : all) {
    if (choice.value) table.rows.push_back({std::string(choice.name), std::string(choice.help)});
  }
  return table;
}

template <class Row>
Result<Table> named_rows(const std::vector<Row>& all) {
  Table table = named_things();
  for (const Row& row : all) {
    std::string help = row.help;
    if constexpr (requires { row.parameters; }) {
      for (const PolicyParameter& p : row.parameters) {
        help += (&p == &row.parameters.front() ? " (--" : ", --") + p.name;
      }
      if (!row.parameters.empty()) help += ")";
    }
    table.rows.push_back({row.name, help});
  }
  return table;
}

Result<Table> verb_table() {
  Table table{{{"name"}, {"question"}}, {}};
  for (const Verb& verb : verbs()) {
    table.rows.push_back({std::string(verb.name), std::string(verb.question)});
  }
  return table;
}

Result<Table> moe_backend_table() {
  Table table = named_things();
  for (const MoeCommBackend& backend : moe_comm_backends()) {
    table.rows.push_back({backend.name, std::string(describe(backend.family))});
  }
  return table;
}

Result<Table> fitness_table() {
  Table table{{{"name"}, {"reference", true}, {"unit"}, {"better"}}, {}};
  for (const FitnessTerm& term : fitness_terms()) {
    table.rows.push_back({term.key, shortest(term.reference), term.latency() ? "ms" : "1/s",
                          term.latency() ? "less" : "more"});
  }
  return table;
}

Result<Table> conversion_table() {
  Table table{{{"name"}, {"question"}}, {}};
  const Verb& convert = *find_verb("convert");
  for (const Verb* form : members_of(convert)) {
    table.rows.push_back(
        {std::string(form->name.substr(convert.name.size() + 1)), std::string(form->question)});
  }
  return table;
}

Result<Table> breakdown_table() {
  Table table{{{"name"}, {"from"}, {"to", false, true}}, {}};
  for (const Definition& part : definitions_of_kind("part")) {
    table.rows.push_back({part.names.front(), part.facts.at(0).second, part.facts.at(1).second});
  }
  return table;
}

Result<Table> metric_table() {
  Table table{{{"name"}, {"section"}}, {}};
  for (const Definition& key : definitions_of_kind("key")) {
    const std::string section = key.source.substr(key.source.find(' ') + 1);
    for (const std::string& name : key.names) table.rows.push_back({name, section});
  }
  return table;
}

Result<Table> rule_table() {
  Table table{{{"name"}, {"effect"}, {"help"}, {"remedy"}, {"source", false, true}}, {}};
  for (const EngineRule& rule : engine_rules()) {
    table.rows.push_back({rule.name, rule.effect == RuleEffect::refuses ? "refused" : "fallback",
                          rule.help, rule.remedy, rule.source});
  }
  return table;
}

Result<Table> scenario_table() {
  Route route;
  route.fallback_to = "the strong model";
  Table table = named_things();
  for (const Scenario& scenario : built_in_scenarios({route})) {
    table.rows.push_back({scenario.name, scenario.about});
  }
  return table;
}

Result<Table> slo_preset_table() {
  Table table{{{"name"}, {"limits"}, {"help"}}, {}};
  for (const SloPreset& preset : slo_presets()) {
    table.rows.push_back({preset.name, preset.limits, preset.help});
  }
  return table;
}

Result<Table> policy_table() {
  Table table{{{"flag"}, {"names"}}, {}};
  for (const PolicyKind& kind : policy_kinds()) {
    table.rows.push_back({std::string(kind.flag), join(mapped(kind.rows, &PolicyRow::name), ", ")});
  }
  return table;
}

Result<Table> batching_rule_table() {
  Table table{{{"name"}, {"seqs", true}, {"tokens", true}, {"help"}}, {}};
  for (const BatchingRuleRow& rule : batching_rules()) {
    const std::int64_t tokens = rule.max_num_batched_tokens;
    table.rows.push_back({rule.name, std::to_string(rule.max_num_seqs),
                          tokens > 0 ? std::to_string(tokens) : "-", rule.help});
  }
  return table;
}

}  // namespace

const std::vector<Topic>& topics() {
  static const std::vector<Topic> all{
      {"models", "models of the catalog (--model)", model_table},
      {"gpus", "GPUs of the catalog (--hardware)", gpu_table, true, {"hardware"}},
      {"prices", "list prices of GPUs by the hour, with their dates", price_table, false},
      {"latency-models", "step-time models (--latency-model)",
       [] { return named_rows(latency_models()); }},
      {"moe-backends", "how experts exchange tokens (--moe-comm-backend)", moe_backend_table},
      {"policies", "all kinds of policies, with the flags that choose them", policy_table},
      {"schedulers",
       "orders of the wait queue (--scheduler)",
       [] { return named_rows(schedulers()); },
       true,
       {"queue-orders"}},
      {"batching-rules",
       "how an instance forms its batches (--batching-rule)",
       batching_rule_table,
       true,
       {"batching", "batch-schedulers"}},
      {"routing-policies",
       "which instance gets a request (--routing-policy)",
       [] { return named_rows(routers()); },
       true,
       {"routers", "routing-policy", "routing"}},
      {"scorers", "scores that weighted routing adds up (--routing-scorers)",
       [] { return named_rows(scorers()); }},
      {"pd-deciders", "which prompts go to prefill instances (--pd-decider)",
       [] { return named_rows(pd_deciders()); }},
      {"links", "links for KV transfers (--pd-transfer-link)", link_table},
      {"speculation-presets",
       "acceptance of drafts as measured (--speculation-preset)",
       speculation_preset_table,
       true,
       {"speculation"}},
      {"admission", "which requests enter (--admission-policy)",
       [] { return named_rows(admission_policies()); }},
      {"gateway-signals", "what tells the gateway that the cluster is full (--saturation-detector)",
       [] { return named_rows(saturation_signals()); }},
      {"dispatch-orders", "which request leaves the gateway first (--dispatch-order)",
       [] { return named_rows(dispatch_orders()); }},
      {"fairness", "which tenant the gateway serves next (--fairness-policy)",
       [] { return named_rows(fairness_policies()); }},
      {"preemption", "which request is preempted when KV blocks run out (--preemption-policy)",
       [] { return named_rows(preemption_rules()); }},
      {"presets",
       "named workload shapes (--workload)",
       [] { return named_rows(presets()); },
       true,
       {"workloads"}},
      {"arrival-processes", "when requests arrive (--arrival)",
       [] { return choices(arrival_processes()); }},
      {"length-distributions", "token lengths in a workload specification",
       [] { return choices(length_distributions()); }},
      {"rules", "what vLLM refuses to serve (--ignore-rules)", rule_table},
      {"slo-presets", "limits by use case (--slo)", slo_preset_table},
      {"slo-classes", "how urgent a request is", [] { return choices(slo_classes()); }},
      {"trace-formats", "recorded traffic (--trace-format)",
       [] { return choices(trace_formats()); }},
      {"metric-definitions", "whose metrics (--metric-definitions)",
       [] { return named_rows(metric_definitions()); }},
      {"metrics", "figures and other keys of --json (plimsoll explain NAME)", metric_table, false},
      {"breakdown", "parts of a request's time, in their order (plimsoll explain NAME)",
       breakdown_table, false},
      {"detectors", "whether a run keeps up (--detectors)",
       [] { return named_rows(saturation_detectors()); }},
      {"fitness-terms", "what a score may be made of (--fitness-weights)", fitness_table},
      {"objectives", "what a plan optimises (--objective)", [] { return choices(objectives()); }},
      {"forecast-methods", "methods that continue a history (plimsoll forecast)",
       [] { return choices(forecast_methods()); }},
      {"scenarios", "scenarios built into a forecast (`built_in`)", scenario_table},
      {"conversions", "formats that plimsoll convert reads", conversion_table},
      {"semantics", "whose behaviour is simulated (--semantics)",
       [] { return choices(semantics_choices()); }},
      {"verbs", "commands, subcommands included (plimsoll help VERB)", verb_table},
  };
  return all;
}

std::string_view name_of_topic(std::string_view other_word) {
  for (const Topic& topic : topics()) {
    const auto is_word = [&](std::string_view word) {
      return word == other_word || word == std::string(other_word) + "s";
    };
    if (is_word(topic.name) || std::ranges::any_of(topic.other_words, is_word)) return topic.name;
  }
  return {};
}

std::vector<std::string> topic_names() {
  return mapped(topics(), [](const Topic& topic) { return std::string(topic.name); });
}

}  // namespace plimsoll
