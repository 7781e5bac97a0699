#include <string>
#include <string_view>
#include <vector>

#include "base/lists.h"
#include "base/text.h"
#include "cli/flag_rows.h"
#include "metrics/fitness.h"
#include "metrics/latency.h"
#include "metrics/saturation.h"
#include "metrics/warmup.h"

namespace plimsoll {
namespace {

std::vector<std::string> metric_definition_names() { return names_of(metric_definitions()); }

std::vector<std::string> fitness_keys() { return mapped(fitness_terms(), &FitnessTerm::key); }

Choices<ColorChoice> color_choices() {
  static constexpr Choice<ColorChoice> kChoices[]{
      {"auto", ColorChoice::automatic, "on a terminal, unless NO_COLOR is set"},
      {"always", ColorChoice::always, ""},
      {"never", ColorChoice::never, ""},
  };
  return kChoices;
}

}  // namespace

void add_metric_flags(std::vector<Flag>& all) {
  const Rows rows{all, FlagGroup::metrics};
  rows.add("--metric-definitions", one_of(&MetricsSpec::definitions, metric_definition_names()),
           "TOOL",
           "Whose definitions of ITL, TPOT, TTFT and rates to follow: " +
               join(metric_definition_names(), ", "));
  rows.add("--warmup", text(&MetricsSpec::warmup, warmup_words), "WHAT",
           "Requests to leave out of all latencies: auto, none, or the first ones by time "
           "(30s) or number (500requests)");
}

void add_slo_flags(std::vector<Flag>& all) {
  const Rows rows{all, FlagGroup::metrics};
  const std::string_view form = "CLASS=TIME,...";
  rows.add(
      "--slo-ttft", text(&MetricsSpec::slo_ttft), form,
      "Longest TTFT of a request that counts as goodput, by SLO class or one TIME for all, e.g. "
      "critical=200ms,batch=5s");
  rows.add("--slo-itl", text(&MetricsSpec::slo_itl), form,
           "Longest mean gap between the tokens of a request that counts as goodput");
  rows.add("--slo-e2e", text(&MetricsSpec::slo_e2e), form,
           "Longest E2E latency of a request that counts as goodput");
  rows.add("--fitness-weights",
           text(&MetricsSpec::fitness_weights).with_items(fitness_keys(), ":1"), "KEY:WEIGHT,...",
           "Weights for one score per run, e.g. p99_ttft:3,mean_e2e:1,throughput:2 "
           "(plimsoll list fitness-terms)");
  rows.add("--fitness-references",
           text(&MetricsSpec::fitness_references).usually("1ms; 100 req/s; 10000 tokens/s"),
           "KEY:VALUE,...",
           "Value at which a term of the fitness score is 1/2, e.g. p99_ttft:500ms,throughput:100");
  const Rows detectors{all, FlagGroup::detectors};
  detectors.add("--detectors",
                text(&MetricsSpec::detectors).with_items(saturation_detector_names()), "NAMES",
                "Saturation detectors: " + join(saturation_detector_names(), ", ") +
                    " or all (plimsoll list detectors)");
  detectors.add("--saturation-config", text(&MetricsSpec::saturation_config), "FILE",
                "Settings of the detectors (YAML)");
  detectors.add("--saturation-final-window",
                text(&MetricsSpec::saturation_final_window).usually("30s"), "TIME",
                "Window at the end of the run; its commonest verdict is final");
}

void add_output_flags(std::vector<Flag>& all) {
  Rows{all, FlagGroup::model_error}.add(
      "--no-model-error", on_off(&MetricsSpec::no_model_error), "",
      "Skip the reruns with steps as short and as long as the error of the step-time model "
      "allows");
  Rows{all, FlagGroup::step_parts}.add(
      "--why", on_off(&MetricsSpec::why), "",
      "Show how figures depend on each part of a step, by making each part a bit longer");
  Rows{all, FlagGroup::json}.add("--json", on_off(&ConsoleSpec::json), "",
                                 "Print JSON and nothing else");
  const Rows console{all, FlagGroup::console};
  console.add("--quiet", on_off(&ConsoleSpec::quiet), "",
              "Print the verdict alone; notes stay on stderr");
  console.add("--color", one_of(&ConsoleSpec::color, color_choices()), "WHEN",
              "Colours in the output: auto, always or never");
  Rows{all, FlagGroup::page}.add("--html", text(&ConsoleSpec::page), "FILE",
                                 "Write the answer as a self-contained HTML page");
  const Rows rows{all, FlagGroup::output};
  rows.add("--results-path", text(&OutputSpec::results_path), "FILE",
           "Write one row per request to FILE.csv or FILE.json");
  rows.add("--metrics-path", text(&OutputSpec::metrics_path), "FILE",
           "Write the JSON report with its requests, as BLIS does");
  rows.add("--saturation-report", text(&MetricsSpec::saturation_report), "FILE",
           "Write every verdict of the saturation detectors (JSON)");
  rows.add("--timeline", text(&OutputSpec::timeline), "FILE",
           "Write steps and requests as a timeline for ui.perfetto.dev or chrome://tracing");
  rows.add("--timeline-limit", integer(&OutputSpec::timeline_limit, {1, kMostTokens}), "N",
           "Maximum number of events in the --timeline file; later ones are left out");
  rows.add("--trace-output", text(&OutputSpec::trace_prefix), "PREFIX",
           "Record the requests as a TraceV2 trace: PREFIX.yaml and PREFIX.csv");
  rows.add("--trace-level", one_of(&OutputSpec::trace_level, {"none", "decisions"}), "LEVEL",
           "What to record of admission and routing: none or decisions, for --json and "
           "--summarize-trace");
  rows.add("--decisions-output", text(&OutputSpec::decisions_path), "FILE",
           "Write every decision of admission and routing as a JSON line; implies --trace-level "
           "decisions");
  rows.add("--counterfactual-k", integer(&OutputSpec::counterfactual_k, {0, kMostInstances}), "K",
           "Record the K best candidates of each routing decision, what the router saw, and the "
           "regret: best score - score of the chosen one");
  rows.add("--summarize-trace", on_off(&OutputSpec::summarize_trace), "",
           "Summarise decisions of admission and routing in the report");
}

}  // namespace plimsoll
