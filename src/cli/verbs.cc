#include "cli/verbs.h"

#include <algorithm>

#include "cli/completion.h"
#include "cli/glossary.h"
#include "cli/run_functions.h"
#include "cli/topics.h"

namespace plimsoll {
namespace {

// What a plan reads from its request where other verbs, or other planners, have a flag.
struct PlaceInRequest {
  std::string_view flag;
  std::string_view hint;
};

constexpr std::string_view kAsksForSplits =
    "a plan finds the numbers of both by itself: --disaggregation aggregated,split, or "
    "`disaggregation:` in `config_space:` of a request file";

constexpr PlaceInRequest kPlaces[]{
    {"--workload",
     "a plan takes its own workload from the section `workload:` of a request file, or "
     "--workload-spec FILE"},
    {"--constraints", "a plan takes limits from --slo, or `constraints:` of a request file"},
    {"--config-space",
     "a plan takes it from flags such as --gpu-types and --tp, or `config_space:` of a request "
     "file"},
    {"--prefill-instances", kAsksForSplits},
    {"--decode-instances", kAsksForSplits},
    {"--pd-decider", "a plan takes it from `pd_deciders` in `config_space:` of a request file"},
    {"--output", "a plan is written by --json > FILE, --summary FILE and --html FILE"},
};

std::string place_in_request(std::string_view flag) {
  const auto* place = std::ranges::find(kPlaces, flag, &PlaceInRequest::flag);
  return place == std::end(kPlaces) ? "" : std::string(place->hint);
}

// Verbs that search keep limits, those that run count the requests within theirs.
std::string place_of_limits(std::string_view flag) {
  return flag == "--slo" ? "the limits of requests are --slo-ttft, --slo-itl and --slo-e2e" : "";
}

// What may follow `plimsoll help`: the words of all names.
std::vector<std::string> verb_words() {
  std::vector<std::string> words;
  for (const Verb& verb : verbs()) words.emplace_back(verb.name.substr(verb.name.find(' ') + 1));
  return words;
}

const Arguments kModelAndTraffic{
    .placeholder = "MODEL", .name_flag = "--model", .file_flag = "--workload-spec"};

// One file to read, whatever it is called; another word is the model.
Arguments file_and_model(std::string_view placeholder, std::size_t least = 0) {
  return {.placeholder = placeholder, .least = least, .most = 1, .name_flag = "--model"};
}

// A word is the file that the flag names.
Arguments file_of(std::string_view flag) {
  return {.placeholder = "FILE", .name_flag = flag, .file_flag = flag};
}

}  // namespace

const std::vector<Verb>& verbs() {
  using enum FlagGroup;
  static const std::vector<Verb> rows{
      {.name = "run",
       .question = "what happens under this load?",
       .usage = {"MODEL --rate REQ/S [flags]", "MODEL SPEC.yaml [flags]"},
       .examples = {"plimsoll run qwen3-14b --rate 10",
                    "plimsoll run qwen3-14b --rate 200 --num-instances 16 --num-requests 100000",
                    "plimsoll run qwen3-14b examples/clients.yaml --hardware H200 --json"},
       .first_flags = {"--model", "--hardware", "--tp", "--rate", "--num-requests",
                       "--num-instances", "--routing-policy", "--max-num-seqs", "--json"},
       .groups = {model,     step_time, calibrated, profile, workload,    sessions, cluster,
                  split,     transfer,  admission,  engine,  stream,      control,  metrics,
                  detectors, json,      console,    page,    model_error, output},
       .arguments = kModelAndTraffic,
       .place_of = place_of_limits,
       .run = run_verb},
      {.name = "replay",
       .question = "what happens when this recorded traffic is replayed?",
       .usage = {"FILE --model ID [flags]", "--model ID --trace FILE --trace-format NAME [flags]",
                 "--model ID --trace-header FILE --trace-data FILE [flags]"},
       .examples = {"plimsoll replay examples/azure.csv --model qwen3-14b --trace-format azure",
                    "plimsoll replay examples/mooncake.jsonl --model qwen3-14b --num-instances 4",
                    "plimsoll replay examples/tracev2.yaml --model qwen3-14b --tp 2 --json"},
       .first_flags = {"--model", "--trace", "--trace-format", "--hardware", "--tp",
                       "--num-instances", "--json"},
       .groups = {model,     step_time, calibrated, profile, trace,       sessions, cluster,
                  split,     transfer,  admission,  engine,  stream,      control,  metrics,
                  detectors, json,      console,    page,    model_error, output},
       .arguments = file_and_model("FILE"),
       .place_of = place_of_limits,
       .run = replay_verb},
      {.name = "capacity",
       .question = "how much can it take, or how many instances do I need?",
       .usage = {"MODEL --slo LIMITS [--num-instances N] [flags]",
                 "MODEL --slo LIMITS --rate REQ/S [flags]"},
       .examples = {"plimsoll capacity qwen3-14b --rate 200 --slo \"ttft_p99<500ms\"",
                    "plimsoll capacity qwen3-14b --num-instances 4 --slo \"ttft_p99<500ms\"",
                    "plimsoll capacity qwen3-14b examples/clients.yaml --slo \"tpot_p95<40ms\""},
       .first_flags = {"--slo", "--model", "--hardware", "--tp", "--rate", "--num-instances",
                       "--json"},
       .groups = {slo,       capacity,   threads,   prices,     price_file, model,
                  step_time, calibrated, profile,   workload,   trace,      cluster,
                  split,     transfer,   admission, engine,     stream,     control,
                  json,      console,    page,      model_error},
       .arguments = kModelAndTraffic,
       .run = capacity_verb},
      {.name = "plan",
       .question = "which deployment is cheapest for my limits?",
       .usage = {"--model ID --rate REQ/S --slo LIMITS [flags]", "REQUEST.yaml [flags]"},
       .examples =
           {"plimsoll plan qwen3-14b --rate 40 --slo \"ttft_p99<500ms\" --gpu-types H100,L4",
            "plimsoll plan examples/plan/fleet.yaml --html plan.html",
            "plimsoll plan examples/plan/fleet.yaml --emit kubernetes --output-dir deploy"},
       .first_flags = {"--slo", "--model", "--rate", "--html", "--emit", "--json"},
       .groups = {slo,        plan,    threads,  prices,  price_file, model,      step_time,
                  calibrated, profile, workload, cluster, transfer,   admission,  engine,
                  stream,     control, json,     console, page,       model_error},
       .arguments = file_and_model("REQUEST"),
       .place_of = place_in_request,
       .run = plan_verb},
      {.name = "forecast",
       .question = "when do we run out, of what, and what then?",
       .usage = {"FORECAST.yaml [flags]"},
       .examples = {"plimsoll forecast examples/launch-week.yaml",
                    "plimsoll forecast examples/growth.yaml --html growth.html",
                    "plimsoll forecast examples/launch.yaml --emit prometheus --output-dir alerts"},
       .first_flags = {"--slo", "--html", "--emit", "--json"},
       .groups = {slo, forecast, threads, prices, price_file, model, step_time, calibrated, profile,
                  cluster, split, transfer, admission, engine, control, json, console, page},
       .arguments = file_and_model("FORECAST", 1),
       .run = forecast_verb},
      {.name = "compare",
       .question = "which of these is better, and is the difference real?",
       .usage = {"MODEL --rate REQ/S --vary FLAG=VALUE,VALUE [flags]",
                 "MODEL --rate REQ/S --variant \"NAME: FLAGS\" ... [flags]"},
       .examples = {"plimsoll compare qwen3-14b --rate 12 --vary scheduler=fcfs,sjf",
                    "plimsoll compare qwen3-14b --rate 12 --vary hardware=H100,H200 --seeds 5",
                    "plimsoll compare qwen3-14b examples/clients.yaml --vary tp=1,2,4"},
       .first_flags = {"--vary", "--variant", "--seeds", "--model", "--rate", "--json"},
       .groups = {compared, threads, prices,   price_file, model,   step_time, calibrated, profile,
                  workload, trace,   sessions, cluster,    split,   transfer,  admission,  engine,
                  stream,   control, metrics,  json,       console, page},
       .arguments = kModelAndTraffic,
       .place_of = place_of_limits,
       .run = compare_verb},
      {.name = "describe",
       .question = "what does this workload look like?",
       .usage = {"FILE [flags]", "[flags of run or replay that say what arrives]"},
       .examples =
           {"plimsoll describe examples/azure.csv",
            "plimsoll describe examples/workloads/tenants.yaml --json",
            "plimsoll describe --workload chatbot --rate 20 --arrival gamma --arrival-cv 4"},
       .first_flags = {"--workload-spec", "--trace", "--json"},
       .groups = {workload, trace, sessions, stream, json, console, page},
       .arguments = {"FILE", 0, 1},
       .run = describe_verb},
      {.name = "convert",
       .question = "convert traffic to another format",
       .usage = {"FORM [flags]"},
       .examples = {"plimsoll convert azure examples/azure.csv --output azure",
                    "plimsoll convert preset --name chatbot --rate 20 --output chat.yaml",
                    "plimsoll convert servegen --path examples/servegen/day --output day.yaml"}},
      {.name = "convert preset",
       .question = "turn a preset into a workload",
       .usage = {"--name NAME [flags]"},
       .examples = {"plimsoll convert preset --name chatbot --rate 20"},
       .groups = {preset, spec_output},
       .run = convert_preset_verb},
      {.name = "convert servegen",
       .question = "turn ServeGen data into a workload",
       .usage = {"--path PATH [flags]"},
       .examples = {"plimsoll convert servegen --path examples/servegen/day --output day.yaml"},
       .groups = {servegen, spec_output},
       .run = convert_servegen_verb},
      {.name = "convert inference-perf",
       .question = "turn an inference-perf load into a workload",
       .usage = {"FILE [--output FILE]"},
       .examples = {"plimsoll convert inference-perf examples/inference_perf.yaml"},
       .groups = {inference_perf, spec_output},
       .arguments = file_of("--spec"),
       .run = convert_inference_perf_verb},
      {.name = "convert metrics",
       .question = "turn recorded counters of an engine into a history",
       .usage = {"FILE [--output FILE]"},
       .examples = {"plimsoll convert metrics examples/vllm-metrics.txt"},
       .groups = {recorded_metrics},
       .arguments = file_of("--metrics"),
       .run = convert_metrics_verb},
      {.name = "convert azure",
       .question = "turn an Azure trace into a TraceV2 trace",
       .usage = {"FILE --output PREFIX"},
       .examples = {"plimsoll convert azure examples/azure.csv --output recorded"},
       .groups = {plain_trace, trace_output},
       .arguments = file_of("--trace"),
       .run = convert_trace_verb},
      {.name = "convert mooncake",
       .question = "turn a Mooncake trace into a TraceV2 trace",
       .usage = {"FILE --output PREFIX"},
       .examples = {"plimsoll convert mooncake examples/mooncake.jsonl --output recorded"},
       .groups = {plain_trace, trace_output},
       .arguments = file_of("--trace"),
       .run = convert_trace_verb},
      {.name = "convert sharegpt",
       .question = "turn a ShareGPT trace into a TraceV2 trace",
       .usage = {"FILE --output PREFIX"},
       .examples = {"plimsoll convert sharegpt examples/sharegpt.jsonl --output recorded"},
       .groups = {plain_trace, trace_output},
       .arguments = file_of("--trace"),
       .run = convert_trace_verb},
      {.name = "convert csv",
       .question = "turn a CSV trace into a TraceV2 trace",
       .usage = {"FILE --output PREFIX"},
       .examples = {"plimsoll convert csv examples/trace.csv --output recorded"},
       .groups = {plain_trace, trace_output},
       .arguments = file_of("--trace"),
       .run = convert_trace_verb},
      {.name = "convert tracev2",
       .question = "turn a TraceV2 trace into a similar workload",
       .usage = {"--trace-header F --trace-data F [--output FILE]"},
       .examples = {"plimsoll convert tracev2 --trace-header seen.yaml --trace-data seen.csv"},
       .groups = {trace_v2, spec_output},
       .run = convert_tracev2_verb},
      {.name = "compose",
       .question = "merge workload specifications into one",
       .usage = {"--from FILE --from FILE ... [--output FILE]"},
       .examples =
           {"cd examples && plimsoll compose --from clients.yaml --from workloads/rush.yaml",
            "plimsoll compose --from examples/workloads/bursts.yaml --output bursts.yaml",
            "plimsoll compose --from examples/workloads/office-hours.yaml"},
       .groups = {composed, spec_output},
       .run = compose_verb},
      {.name = "validate",
       .question = "how close are predictions to measurements?",
       .usage = {"CASE... [flags]"},
       .examples = {"plimsoll validate examples/case",
                    "plimsoll validate examples/case --latency-model roofline",
                    "plimsoll validate examples/case --why"},
       .first_flags = {"--calibration", "--why"},
       .groups = {step_time, calibrated, step_parts, json, console, page, model_error},
       .arguments = {"CASE", 1, 100'000},
       .run = validate_verb},
      {.name = "observe",
       .question = "what does my server really do under this load?",
       .usage = {"--server-url URL --model ID --rate REQ/S --output P",
                 "--server-url URL --model ID --concurrency N --output P"},
       .examples =
           {"plimsoll observe --server-url http://gpu1:8000 --model m --rate 4 --output s",
            "plimsoll observe --server-url http://gpu1:8000 --model m --rate 20 --output s",
            "plimsoll observe --server-url http://gpu1 --model m --concurrency 8 --output s"},
       .first_flags = {"--server-url", "--model", "--rate", "--concurrency", "--num-requests"},
       .groups = {server, workload, trace, sessions, stream, control, metrics, detectors, json,
                  console, page, trace_output},
       .place_of = place_of_limits,
       .run = observe_verb},
      {.name = "calibrate",
       .question = "what do my measurements say about step times?",
       .usage = {"--trace-header F --trace-data F --model ID [flags]", "CASE... [flags]",
                 "--profile FILE [--telemetry FILE] [flags]"},
       .examples = {"plimsoll calibrate --profile examples/profile",
                    "plimsoll calibrate --profile examples/profile --output corrected.yaml",
                    "plimsoll calibrate examples/case --json"},
       .first_flags = {"--profile", "--telemetry", "--model", "--json"},
       .groups = {trace_v2, profile, calibration, model, step_time, cluster, engine, json, console},
       .arguments = {"CASE", 0, 100'000},
       .run = calibrate_verb},
      {.name = "serve",
       .question = "answer on a page in the browser, and to programs over HTTP",
       .usage = {"[--port N] [flags]", "--listen ADDRESS --token-env NAME [flags]"},
       .groups = {serve},
       .place_of = place_at_server,
       .run = serve_verb},
      {.name = "worker",
       .question = "carry out one shard of a plan that others share",
       .usage = {"FOLDER SHARD [flags]", "FOLDER ($SLURM_ARRAY_TASK_ID or $JOB_COMPLETION_INDEX)"},
       .groups = {threads},
       .arguments = {"FOLDER", 1, 2},
       .run = worker_verb},
      {.name = "runs",
       .question = "show plans whose tests were shared among processes",
       .usage = {"FORM [flags]"},
       .examples = {"plimsoll runs list", "plimsoll runs show monday",
                    "plimsoll runs compare monday tuesday"}},
      {.name = "runs list",
       .question = "list the plans in a folder, and how far they are",
       .usage = {"[FOLDER] [--json]"},
       .examples = {"plimsoll runs list"},
       .groups = {json, console},
       .arguments = {"FOLDER", 0, 1},
       .run = runs_list_verb},
      {.name = "runs show",
       .question = "show what became of a plan that was shared among processes",
       .usage = {"FOLDER [--json]"},
       .examples = {"plimsoll runs show monday"},
       .groups = {json, console},
       .arguments = {"FOLDER", 1, 1},
       .run = runs_show_verb},
      {.name = "runs compare",
       .question = "show what changed between two such plans",
       .usage = {"OLD NEW [--json]"},
       .examples = {"plimsoll runs compare monday tuesday"},
       .groups = {json, console},
       .arguments = {"FOLDER", 2, 2},
       .run = runs_compare_verb},
      {.name = "list",
       .question = "list models, GPUs, policies and all else that has a name",
       .usage = {"[TOPIC] [--json]", "prices [--price-file FILE] [--json]"},
       .examples = {"plimsoll list models", "plimsoll list gpus",
                    "plimsoll list routing-policy --json"},
       .groups = {price_file, json},
       .arguments =
           {.placeholder = "TOPIC", .most = 1, .choices = topic_names, .called = name_of_topic},
       .run = list_verb},
      {.name = "explain",
       .question = "what does this word, figure or flag mean?",
       .usage = {"[WORD...] [--json]"},
       .examples = {"plimsoll explain ttft_p99_ms", "plimsoll explain bound by",
                    "plimsoll explain --max-num-seqs"},
       .groups = {json},
       .arguments = {"WORD", 0, 5, nullptr, explained_words, true},
       .run = explain_verb},
      {.name = "help",
       .question = "show the verbs, or the flags of one",
       .usage = {"[VERB]"},
       .examples = {"plimsoll help run"},
       .arguments = {"VERB", 0, 2, nullptr, verb_words, true},
       .run = help_verb},
      {.name = "completion",
       .question = "print a script that completes verbs, flags and names",
       .usage = {"bash|zsh|fish"},
       .examples = {"source <(plimsoll completion bash)"},
       .arguments = {"SHELL", 1, 1, completion_shells},
       .run = completion_verb},
      {.name = "man",
       .question = "show the manual page",
       .usage = {""},
       .examples = {"plimsoll man"},
       .run = man_verb},
      {.name = "version", .question = "print the version", .usage = {""}, .run = version_verb},
  };
  return rows;
}

}  // namespace plimsoll
