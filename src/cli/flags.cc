#include "cli/flags.h"

#include <algorithm>

#include "base/text.h"
#include "catalog/catalog.h"
#include "cli/flag_rows.h"
#include "cli/variants.h"
#include "cluster/router.h"
#include "cluster/scorer.h"
#include "engine/batching_rule.h"
#include "metrics/comparison.h"
#include "metrics/definitions.h"
#include "metrics/fitness.h"
#include "metrics/saturation.h"
#include "metrics/warmup.h"
#include "perf/latency_models.h"
#include "perf/parallelism.h"
#include "workload/presets.h"
#include "workload/synthetic.h"
#include "workload/think_time.h"
#include "workload/trace_formats.h"

namespace plimsoll {
namespace {

template <class Row>
std::vector<std::string> names_of(const std::vector<Row>& table) {
  std::vector<std::string> names;
  for (const Row& row : table) names.push_back(row.name);
  return names;
}

void add_compare_flags(std::vector<Flag>& all) {
  const Rows rows{all, FlagGroup::compared};
  rows.add(
      "--variant", texts(&Options::variants), "NAME: FLAGS",
      "A deployment to compare, as one word: a name and the flags it has instead of the common "
      "ones, e.g. \"busy: --routing-policy weighted\"; once for each");
  rows.add("--vary", text(&Options::vary, vary_proposals), "FLAG=VALUE,...",
           "A variant for each value of one flag, before those of --variant, e.g. "
           "num-instances=14,15,16");
  rows.add("--seeds", integer(&Options::seeds, {1, kMostSeeds}), "K",
           "Runs of each variant, with the seeds from --seed on [5; of a trace: 1]");
  rows.add("--by", one_of(&Options::leading_figure, compared_figure_keys()), "FIGURE",
           "What decides: " + join(compared_figure_keys(), ", ") +
               " [fitness with --fitness-weights; slo_attainment with --slo-...; else "
               "ttft_p99_ms]");
  rows.add("--threads", integer(&Options::threads, {0, 1024}), "N",
           "Runs at the same time; 0 = as many as there are processors");
}

void add_model_flags(std::vector<Flag>& all) {
  const Rows rows{all, FlagGroup::model};
  rows.add(
      "--model", text(&Options::model, model_names), "ID",
      "Hugging Face id; of a listed model (plimsoll list models) the part after the slash will do");
  rows.add("--model-config", text(&Options::model_config), "PATH",
           "config.json of a model that is not listed, or its folder", {{"--model-config-folder"}});
  rows.add("--offline", on_off(&Options::offline), "",
           "Never download: models that are neither listed nor cached are an error");
  rows.add("--hardware", text(&Options::hardware, gpu_names), "GPU",
           "GPU type (plimsoll list gpus); default: the one listed for the model");
  rows.add("--hardware-config", text(&Options::hardware_config), "FILE",
           "JSON table of GPUs to use instead of the built-in one");
  rows.add("--tp", integer(&Options::tp, {0, 1024}), "N",
           "Tensor parallelism: GPUs per instance; default: as listed for the model");
  rows.add("--pp", integer(&Options::pp, {1, 64}), "N",
           "Pipeline parallelism: stages of layers, each on as many GPUs as --tp says");
  rows.add("--dp", integer(&Options::dp, {1, 1024}), "N",
           "Data-parallel ranks of a mixture-of-experts model");
  rows.add("--enable-expert-parallel", on_off(&Options::expert_parallel), "",
           "Spread the experts over the GPUs instead of slicing them");
  rows.add("--moe-comm-backend", one_of(&Options::moe_comm_backend, names_of(moe_comm_backends())),
           "NAME",
           "How experts exchange tokens (plimsoll list moe-backends) [" +
               moe_comm_backends().front().name + "]");
  rows.add("--alpha-coeffs", numbers(&Options::alpha_coeffs), "A,B,C",
           "Coefficients of the per-request overheads; with --beta-coeffs");
  rows.add("--beta-coeffs", numbers(&Options::beta_coeffs), "A,B,C,...",
           "Coefficients of the step time; with --alpha-coeffs");
}

void add_step_time_flags(std::vector<Flag>& all) {
  const Rows rows{all, FlagGroup::step_time};
  rows.add("--latency-model", one_of(&Options::latency_model, names_of(latency_models())), "NAME",
           "Step-time model (plimsoll list latency-models) [kernel]");
  rows.add("--sampling", one_of(&Options::sampling, sampling_choices()), "HOW",
           "How tokens are chosen: greedy, or top-p, which sorts all logits [as the model's "
           "generation_config.json says]");
}

std::vector<std::string> workload_names() {
  std::vector<std::string> names = names_of(presets());
  names.emplace_back("distribution");
  return names;
}

void add_workload_flags(std::vector<Flag>& all) {
  const Rows rows{all, FlagGroup::workload};
  rows.add("--rate", number(&Options::rate_rps, kPositive), "REQ/S",
           "Requests per second offered to the whole cluster");
  rows.add("--num-requests", integer(&Options::num_requests, {0, kMostRequests}), "N",
           "How many requests; 0 = until --horizon [10000; with --semantics blis: 100]",
           {{"--max-prompts", true}});
  rows.add("--arrival", one_of(&Options::arrival, arrival_processes()), "PROCESS",
           "Arrival process: constant, poisson, gamma, weibull [poisson; with --semantics "
           "blis: constant]");
  rows.add("--arrival-cv", number(&Options::arrival_cv, kPositive), "CV",
           "Coefficient of variation of gamma or weibull gaps");
  rows.add("--workload", one_of(&Options::workload, workload_names()), "NAME",
           "Token lengths: by the flags below, or of a preset: " + join(names_of(presets()), ", "));
  rows.add("--workload-spec", text(&Options::workload_spec), "FILE",
           "Workload specification (YAML); replaces the flags of this group");
  rows.add("--concurrency", integer(&Options::concurrency, {0, kMostUsers}), "N",
           "Instead of a rate: N users who each wait for their answer; 0 = none");
  rows.add("--prefix-tokens", integer(&Options::prefix_tokens, {0, kMostTokens}), "N",
           "Shared prefix in front of every prompt");
  const auto length = [&](std::string_view name, std::int64_t Options::*field, long long low,
                          std::string help) {
    rows.add(name, integer(field, {low, kMostTokens}), "N", std::move(help));
  };
  length("--prompt-tokens", &Options::prompt_tokens, 1, "Mean prompt length");
  length("--prompt-tokens-stdev", &Options::prompt_tokens_stdev, 0, "Its standard deviation");
  length("--prompt-tokens-min", &Options::prompt_tokens_min, 1, "Shortest prompt");
  length("--prompt-tokens-max", &Options::prompt_tokens_max, 1, "Longest prompt");
  length("--output-tokens", &Options::output_tokens, 1, "Mean answer length");
  length("--output-tokens-stdev", &Options::output_tokens_stdev, 0, "Its standard deviation");
  length("--output-tokens-min", &Options::output_tokens_min, 1, "Shortest answer");
  length("--output-tokens-max", &Options::output_tokens_max, 1, "Longest answer");
  rows.add("--timeout", integer(&Options::timeout_s, {-1'000'000'000, 1'000'000'000}), "S",
           "Seconds after which a client gives up; negative = never [never; with --semantics blis: "
           "300]");
}

void add_trace_flags(std::vector<Flag>& all) {
  const Rows rows{all, FlagGroup::trace};
  rows.add("--trace", text(&Options::trace), "FILE", "Trace to replay; may be .gz or .zst");
  rows.add(
      "--trace-format", one_of(&Options::trace_format, trace_formats()), "NAME",
      "Its format: " + join(names_of(trace_formats()), ", ") + " (plimsoll list trace-formats)");
  rows.add("--trace-header", text(&Options::trace_header), "FILE",
           "YAML header of a TraceV2 trace");
  rows.add("--trace-data", text(&Options::trace_data), "FILE", "CSV rows of a TraceV2 trace");
  rows.add("--session-mode", one_of(&Options::session_mode, session_choices()), "MODE",
           "Rounds of a session arrive as recorded (fixed), or each after the answer to the one "
           "before (closed-loop)");
}

void add_session_flags(std::vector<Flag>& all) {
  const Rows rows{all, FlagGroup::sessions};
  rows.add("--think-time-ms", integer(&Options::think_time_ms, {0, kLongestThinkMs}), "MS",
           "Closed loops: from an answer to the next request of the same user");
  rows.add("--think-time-dist", text(&Options::think_time_dist), "DIST",
           "The same, drawn: lognormal:mu=M,sigma=S[,min=T,max=T] (of ln seconds) or "
           "constant:value=T");
}

void add_cluster_flags(std::vector<Flag>& all) {
  const Rows rows{all, FlagGroup::cluster};
  rows.add("--num-instances", integer(&Options::num_instances, {1, kMostInstances}), "N",
           "Identical serving instances");
  rows.add("--routing-policy", one_of(&Options::router, names_of(routers())), "NAME",
           "Which instance gets a request (plimsoll list routers)");
  rows.add("--routing-scorers",
           scorer_list(&Options::routing_scorers).with_items(names_of(scorers()), ":1"),
           "NAME:WEIGHT,...",
           "Scorers of the weighted policy and their weights (plimsoll list scorers) [" +
               scorers_text(default_scorers()) + "]");
  rows.add("--routing-latency", integer(&Options::routing_latency_us, {0, kLongestUs}), "US",
           "Microseconds a routing decision takes");
  rows.add("--snapshot-refresh-interval",
           integer(&Options::snapshot_refresh_interval_us, {0, kLongestUs}), "US",
           "Microseconds between what routers see of an instance; 0 = live");
  rows.add("--cache-signal-delay", integer(&Options::cache_signal_delay_us, {0, kLongestUs}), "US",
           "Microseconds between what routers see of the KV caches' contents; 0 = live");
}

void add_engine_flags(std::vector<Flag>& all) {
  const Rows rows{all, FlagGroup::engine};
  rows.add("--batching-rule", one_of(&Options::batching_rule, names_of(batching_rules())), "NAME",
           "How batches are formed; brings limits of its own (plimsoll list batching-rules)");
  rows.add("--max-num-seqs", integer(&Options::max_num_seqs, {1, kMostTokens}), "N",
           "Most requests in a running batch", {{"--max-num-running-reqs", true}});
  rows.add("--max-num-batched-tokens", integer(&Options::max_num_batched_tokens, {1, kMostTokens}),
           "N", "Token budget of a step", {{"--max-num-scheduled-tokens", true}});
  rows.add("--long-prefill-token-threshold",
           integer(&Options::long_prefill_token_threshold, {0, kMostTokens}), "N",
           "Most prompt tokens of one request in a step; 0 = no extra limit");
  rows.add("--max-model-len", integer(&Options::max_model_len, {0, kMostTokens}), "N",
           "Longest prompt plus answer; 0 = from the model [0]");
  rows.add("--scheduler", one_of(&Options::scheduler, scheduler_choices()), "NAME",
           "Order of the wait queue (plimsoll list schedulers)");
  rows.add("--preemption-policy", one_of(&Options::preemption, preemption_choices()), "NAME",
           "Who gives way when KV blocks run out: fcfs or priority");
  rows.add("--total-kv-blocks", integer(&Options::total_kv_blocks, {1, kMostTokens}), "N",
           "KV blocks of an instance; default: what its GPU memory holds");
  rows.add("--block-size-in-tokens", integer(&Options::block_size, {1, 1'000'000}), "N",
           "Tokens per KV block");
  rows.add("--gpu-memory-utilization", number(&Options::gpu_memory_utilization, {0, 1, true}),
           "SHARE", "Share of GPU memory the engine may use");
  rows.add("--no-prefix-caching", on_off(&Options::no_prefix_caching), "",
           "Compute every prompt whole, whatever was computed before");
  rows.add("--no-async-scheduling", on_off(&Options::no_async_scheduling), "",
           "Decide a batch when its step starts (vLLM before 0.14), not one step ahead");
}

void add_stream_flags(std::vector<Flag>& all) {
  const Rows rows{all, FlagGroup::stream};
  rows.add("--seed", integer(&Options::seed, {}), "N",
           "Seed of all random draws; equal seeds give equal bytes");
  rows.add("--horizon", integer(&Options::horizon_us, {1}), "US",
           "Stop at this simulated microsecond [never; replay with --semantics blis: twice the "
           "last arrival]");
}

void add_control_flags(std::vector<Flag>& all) {
  const Rows rows{all, FlagGroup::control};
  rows.add("--semantics", one_of(&Options::semantics, semantics_choices()), "NAME",
           "vllm: the engine as it behaves; blis: the reference simulator, number by number");
  rows.add("--log", one_of(&Options::log, log_choices()), "LEVEL",
           "error, warn (notes too) or info (and where the CPU time went), on stderr");
  rows.add("--lazy-generation", on_off(&Options::lazy_generation), "",
           "Make requests as they are needed: always so here, accepted for compatibility");
}

std::vector<std::string> metric_definition_names() { return names_of(metric_definitions()); }

void add_metric_flags(std::vector<Flag>& all) {
  const Rows rows{all, FlagGroup::metrics};
  rows.add("--metric-definitions", one_of(&Options::metric_definitions, metric_definition_names()),
           "TOOL",
           "Whose definitions of ITL, TPOT, TTFT and rates to follow: " +
               join(metric_definition_names(), ", "));
  rows.add("--warmup", text(&Options::warmup, warmup_words), "WHAT",
           "Requests to leave out of all latencies: auto, none, those of the first 30s, the first "
           "500requests");
}

std::vector<std::string> fitness_keys() {
  std::vector<std::string> keys;
  for (const FitnessTerm& term : fitness_terms()) keys.push_back(term.key);
  return keys;
}

void add_slo_flags(std::vector<Flag>& all) {
  const Rows rows{all, FlagGroup::metrics};
  const std::string_view form = "CLASS=TIME,...";
  rows.add("--slo-ttft", text(&Options::slo_ttft), form,
           "Goodput: longest TTFT, by SLO class or one TIME for all, e.g. critical=200ms,batch=5s");
  rows.add("--slo-itl", text(&Options::slo_itl), form,
           "Goodput: longest mean gap between the tokens of a request");
  rows.add("--slo-e2e", text(&Options::slo_e2e), form, "Goodput: longest E2E latency");
  rows.add("--fitness-weights", text(&Options::fitness_weights).with_items(fitness_keys(), ":1"),
           "KEY:WEIGHT,...",
           "One score for the run, e.g. p99_ttft:3,mean_e2e:1,throughput:2 (plimsoll list "
           "fitness-terms)");
  rows.add("--fitness-references", text(&Options::fitness_references), "KEY:VALUE,...",
           "Where a part of the score is 1/2, e.g. p99_ttft:500ms,throughput:100 [1ms; 100 req/s; "
           "10000 tokens/s]");
  const Rows detectors{all, FlagGroup::detectors};
  detectors.add("--detectors", text(&Options::detectors).with_items(saturation_detector_names()),
                "NAMES",
                "Saturation detectors: " + join(saturation_detector_names(), ", ") +
                    " or all (plimsoll list detectors)");
  detectors.add("--saturation-config", text(&Options::saturation_config), "FILE",
                "Settings of the detectors (YAML)");
  detectors.add("--saturation-final-window", text(&Options::saturation_final_window), "TIME",
                "The verdicts at the end of the run, the most frequent of which is final [30s]");
}

void add_output_flags(std::vector<Flag>& all) {
  Rows{all, FlagGroup::json}.add("--json", on_off(&Options::json), "",
                                 "Print JSON and nothing else");
  const Rows console{all, FlagGroup::console};
  console.add("--quiet", on_off(&Options::quiet), "", "Print the verdict alone");
  console.add("--color", one_of(&Options::color, color_choices()), "WHEN", "auto, always or never");
  const Rows rows{all, FlagGroup::output};
  rows.add("--results-path", text(&Options::results_path), "FILE",
           "Write one row per request to FILE.csv or FILE.json");
  rows.add("--metrics-path", text(&Options::metrics_path), "FILE",
           "Write the JSON report with its requests, as the reference does");
  rows.add("--saturation-report", text(&Options::saturation_report), "FILE",
           "Write every verdict of the saturation detectors (JSON)");
  rows.add("--timeline", text(&Options::timeline), "FILE",
           "Write steps and requests as a timeline for ui.perfetto.dev or chrome://tracing");
  rows.add("--timeline-limit", integer(&Options::timeline_limit, {1, kMostTokens}), "N",
           "At most that many events in the file; what comes later is left out");
  rows.add("--no-model-error", on_off(&Options::no_model_error), "",
           "Do not run again with steps as short and as long as the error of the step-time model "
           "allows");
  rows.add("--trace-output", text(&Options::trace_output), "PREFIX",
           "Record the requests as a TraceV2 trace: PREFIX.yaml and PREFIX.csv");
  rows.add("--trace-level", one_of(&Options::trace_level, {"none", "decisions"}), "LEVEL",
           "decisions: count what admission and routing decide, for --json and --summarize-trace");
  rows.add("--decisions-output", text(&Options::decisions_output), "FILE",
           "Write every decision as a JSON line; implies --trace-level decisions");
  rows.add("--counterfactual-k", integer(&Options::counterfactual_k, {0, kMostInstances}), "K",
           "Of each routing decision the K best candidates with what the router saw, and its "
           "regret: best score - score of the chosen one");
  rows.add("--summarize-trace", on_off(&Options::summarize_trace), "",
           "Show in the report what the decisions add up to");
}

// The inputs and outputs of conversions.
void add_convert_flags(std::vector<Flag>& all) {
  const Rows preset{all, FlagGroup::preset};
  preset.add("--name", one_of(&Options::preset_name, names_of(presets())), "NAME",
             "The preset (plimsoll list presets)");
  preset.add("--rate", number(&Options::rate_rps, kPositive), "REQ/S", "Requests per second");
  preset.add("--num-requests", integer(&Options::num_requests, {1, kMostRequests}), "N",
             "How many requests [100]");
  const Rows servegen{all, FlagGroup::servegen};
  servegen.add(
      "--path", text(&Options::import_path), "PATH",
      "Folder of chunk-<id>-trace.csv and -dataset.json, or the names of X-clients.csv and "
      "X-lengths.csv without their ends: X");
  servegen.add("--as", one_of(&Options::servegen_form, servegen_forms()), "FORM",
               "cohorts: one per period and SLO class; clients: each as measured");
  servegen.add("--time", one_of(&Options::servegen_period, servegen_periods()), "PERIOD",
               "Only midnight, morning or afternoon; default: all");
  servegen.add("--window-duration-seconds", integer(&Options::window_duration_s, {1, 31'000'000}),
               "S", "How long the cohorts of a period are active");
  servegen.add("--drain-timeout-seconds", integer(&Options::drain_timeout_s, {0, 31'000'000}), "S",
               "Pause between two periods");
  servegen.add("--seed", integer(&Options::seed, {0}), "N",
               "Of the choice of windows and of the classes");
  Rows{all, FlagGroup::inference_perf}.add(
      "--spec", text(&Options::import_spec), "FILE",
      "Its configuration, or stages and shared_prefix as in a workload specification");
  Rows{all, FlagGroup::plain_trace}.add("--trace", text(&Options::trace), "FILE",
                                        "The trace; may be .gz or .zst");
  const Rows trace_v2{all, FlagGroup::trace_v2};
  trace_v2.add("--trace-header", text(&Options::trace_header), "FILE", "YAML header of the trace");
  trace_v2.add("--trace-data", text(&Options::trace_data), "FILE", "CSV rows of the trace");
  Rows{all, FlagGroup::composed}.add("--from", texts(&Options::from), "FILE",
                                     "A workload specification; may be given many times");
  Rows{all, FlagGroup::spec_output}.add("--output", text(&Options::output), "FILE",
                                        "Where to write the specification; default: stdout");
  Rows{all, FlagGroup::trace_output}.add("--output", text(&Options::output), "PREFIX",
                                         "Writes the TraceV2 trace PREFIX.csv and PREFIX.yaml");
}

}  // namespace

const std::vector<Flag>& flags() {
  static const std::vector<Flag> rows = [] {
    std::vector<Flag> all;
    add_compare_flags(all);
    add_server_flags(all);
    add_model_flags(all);
    add_step_time_flags(all);
    add_workload_flags(all);
    add_trace_flags(all);
    add_session_flags(all);
    add_cluster_flags(all);
    add_admission_flags(all);
    add_engine_flags(all);
    add_stream_flags(all);
    add_control_flags(all);
    add_metric_flags(all);
    add_slo_flags(all);
    add_output_flags(all);
    add_convert_flags(all);
    return all;
  }();
  return rows;
}

bool Flag::is_called(std::string_view word) const {
  return word == name || std::any_of(aliases.begin(), aliases.end(),
                                     [&](const Alias& alias) { return alias.name == word; });
}

bool Flag::takes_path() const {
  return placeholder == "FILE" || placeholder == "PATH" || placeholder == "PREFIX";
}

std::string_view title(FlagGroup group) {
  switch (group) {
    case FlagGroup::compared:
      return "What is compared";
    case FlagGroup::server:
      return "Server";
    case FlagGroup::model:
    case FlagGroup::step_time:
      return "Model and hardware";
    case FlagGroup::workload:
      return "Workload";
    case FlagGroup::trace:
      return "Trace";
    case FlagGroup::sessions:
      return "Sessions";
    case FlagGroup::cluster:
      return "Cluster";
    case FlagGroup::admission:
      return "Admission and gateway queue";
    case FlagGroup::engine:
      return "Engine (one instance)";
    case FlagGroup::stream:
    case FlagGroup::control:
      return "Run control";
    case FlagGroup::metrics:
    case FlagGroup::detectors:
      return "Metrics";
    case FlagGroup::json:
    case FlagGroup::console:
    case FlagGroup::output:
    case FlagGroup::spec_output:
    case FlagGroup::trace_output:
      return "Output";
    case FlagGroup::preset:
    case FlagGroup::servegen:
    case FlagGroup::inference_perf:
    case FlagGroup::plain_trace:
    case FlagGroup::trace_v2:
    case FlagGroup::composed:
      return "Input";
  }
  return {};
}

}  // namespace plimsoll
