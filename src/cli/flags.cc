#include "cli/flags.h"

#include "base/text.h"
#include "perf/latency_models.h"
#include "perf/parallelism.h"
#include "workload/presets.h"
#include "workload/synthetic.h"
#include "workload/trace_formats.h"

namespace plimsoll {
namespace {

constexpr unsigned kRun = static_cast<unsigned>(Verb::run);
constexpr unsigned kReplay = static_cast<unsigned>(Verb::replay);
constexpr unsigned kSimulate = kRun | kReplay;
constexpr unsigned kAll = kSimulate | static_cast<unsigned>(Verb::list);

// Far more than any deployment or any run; keeps every product of two of them inside 63 bits.
constexpr long long kMostInstances = 100'000;
constexpr long long kMostTokens = kMaxTokens;
constexpr long long kMostRequests = 2'000'000'000;
constexpr long long kLongestUs = 1'000'000'000'000;  // 11 days

template <class Row>
std::vector<std::string> names_of(const std::vector<Row>& table) {
  std::vector<std::string> names;
  for (const Row& row : table) names.push_back(row.name);
  return names;
}

void add_model_flags(std::vector<Flag>& rows) {
  const FlagGroup group = FlagGroup::model;
  rows.push_back({"--model",
                  kSimulate,
                  group,
                  text(&Options::model),
                  "ID",
                  "Hugging Face id, or the part after the slash (plimsoll list models)",
                  {}});
  rows.push_back({"--model-config",
                  kSimulate,
                  group,
                  text(&Options::model_config),
                  "PATH",
                  "config.json of a model that is not listed, or its folder",
                  {{"--model-config-folder"}}});
  rows.push_back({"--hardware",
                  kSimulate,
                  group,
                  text(&Options::hardware),
                  "GPU",
                  "GPU type (plimsoll list gpus); default: the one listed for the model",
                  {}});
  rows.push_back({"--hardware-config",
                  kSimulate,
                  group,
                  text(&Options::hardware_config),
                  "FILE",
                  "JSON table of GPUs to use instead of the built-in one",
                  {}});
  rows.push_back({"--tp",
                  kSimulate,
                  group,
                  integer(&Options::tp, {1, 1024}),
                  "N",
                  "Tensor parallelism: GPUs per instance; default: as listed for the model",
                  {}});
  rows.push_back({"--dp",
                  kSimulate,
                  group,
                  integer(&Options::dp, {1, 1024}),
                  "N",
                  "Data-parallel ranks of a mixture-of-experts model",
                  {}});
  rows.push_back({"--enable-expert-parallel",
                  kSimulate,
                  group,
                  on_off(&Options::expert_parallel),
                  "",
                  "Spread the experts over the GPUs instead of slicing them",
                  {}});
  rows.push_back({"--moe-comm-backend",
                  kSimulate,
                  group,
                  one_of(&Options::moe_comm_backend, names_of(moe_comm_backends())),
                  "NAME",
                  "How experts exchange tokens [allgather_reducescatter]",
                  {}});
  rows.push_back({"--latency-model",
                  kSimulate,
                  group,
                  one_of(&Options::latency_model, names_of(latency_models())),
                  "NAME",
                  "Step-time model (plimsoll list latency-models) [trained-physics]",
                  {}});
  rows.push_back({"--alpha-coeffs",
                  kSimulate,
                  group,
                  numbers(&Options::alpha_coeffs),
                  "A,B,C",
                  "Coefficients of the per-request overheads; with --beta-coeffs",
                  {}});
  rows.push_back({"--beta-coeffs",
                  kSimulate,
                  group,
                  numbers(&Options::beta_coeffs),
                  "A,B,C,...",
                  "Coefficients of the step time; with --alpha-coeffs",
                  {}});
}

std::vector<std::string> workload_names() {
  std::vector<std::string> names = names_of(presets());
  names.emplace_back("distribution");
  return names;
}

void add_workload_flags(std::vector<Flag>& rows) {
  const FlagGroup group = FlagGroup::workload;
  rows.push_back({"--rate",
                  kRun,
                  group,
                  number(&Options::rate_rps, kPositive),
                  "REQ/S",
                  "Requests per second offered to the whole cluster",
                  {}});
  rows.push_back({"--num-requests",
                  kRun,
                  group,
                  integer(&Options::num_requests, {0, kMostRequests}),
                  "N",
                  "How many requests; 0 = until --horizon",
                  {{"--max-prompts", true}}});
  rows.push_back({"--arrival",
                  kRun,
                  group,
                  one_of(&Options::arrival, arrival_process_names()),
                  "PROCESS",
                  "Arrival process: constant, poisson, gamma, weibull [poisson; with --semantics "
                  "blis: constant]",
                  {}});
  rows.push_back({"--arrival-cv",
                  kRun,
                  group,
                  number(&Options::arrival_cv, kPositive),
                  "CV",
                  "Coefficient of variation of gamma or weibull gaps",
                  {}});
  rows.push_back(
      {"--workload",
       kRun,
       group,
       one_of(&Options::workload, workload_names()),
       "NAME",
       "Token lengths: by the flags below, or of a preset: " + join(names_of(presets()), ", "),
       {}});
  rows.push_back({"--workload-spec",
                  kRun,
                  group,
                  text(&Options::workload_spec),
                  "FILE",
                  "Workload specification (YAML); replaces the flags of this group",
                  {}});
  rows.push_back({"--prefix-tokens",
                  kRun,
                  group,
                  integer(&Options::prefix_tokens, {0, kMostTokens}),
                  "N",
                  "Shared prefix in front of every prompt",
                  {}});
  const auto length = [&](std::string_view name, std::int64_t Options::*field, long long low,
                          std::string_view help) {
    rows.push_back(
        {name, kRun, group, integer(field, {low, kMostTokens}), "N", std::string(help), {}});
  };
  length("--prompt-tokens", &Options::prompt_tokens, 1, "Mean prompt length");
  length("--prompt-tokens-stdev", &Options::prompt_tokens_stdev, 0, "Its standard deviation");
  length("--prompt-tokens-min", &Options::prompt_tokens_min, 1, "Shortest prompt");
  length("--prompt-tokens-max", &Options::prompt_tokens_max, 1, "Longest prompt");
  length("--output-tokens", &Options::output_tokens, 1, "Mean answer length");
  length("--output-tokens-stdev", &Options::output_tokens_stdev, 0, "Its standard deviation");
  length("--output-tokens-min", &Options::output_tokens_min, 1, "Shortest answer");
  length("--output-tokens-max", &Options::output_tokens_max, 1, "Longest answer");
  rows.push_back(
      {"--timeout",
       kRun,
       group,
       integer(&Options::timeout_s, {-1'000'000'000, 1'000'000'000}),
       "S",
       "Seconds after which a client gives up; negative = never [never; with --semantics blis: "
       "300]",
       {}});
}

void add_trace_flags(std::vector<Flag>& rows) {
  const FlagGroup group = FlagGroup::trace;
  rows.push_back({"--trace",
                  kReplay,
                  group,
                  text(&Options::trace),
                  "FILE",
                  "Trace to replay; may be .gz or .zst",
                  {}});
  rows.push_back({"--trace-format",
                  kReplay,
                  group,
                  one_of(&Options::trace_format, trace_format_names()),
                  "NAME",
                  "Its format: azure, mooncake (JSON lines), csv "
                  "(arrival_s,input_tokens,output_tokens[,prefix_id,prefix_tokens])",
                  {}});
  rows.push_back({"--trace-header",
                  kReplay,
                  group,
                  text(&Options::trace_header),
                  "FILE",
                  "YAML header of a TraceV2 trace",
                  {}});
  rows.push_back({"--trace-data",
                  kReplay,
                  group,
                  text(&Options::trace_data),
                  "FILE",
                  "CSV rows of a TraceV2 trace",
                  {}});
  rows.push_back({"--session-mode",
                  kReplay,
                  group,
                  one_of(&Options::session_mode, session_choices()),
                  "MODE",
                  "Rounds of a session arrive as recorded (fixed)",
                  {}});
}

void add_cluster_flags(std::vector<Flag>& rows) {
  const FlagGroup group = FlagGroup::cluster;
  rows.push_back({"--num-instances",
                  kSimulate,
                  group,
                  integer(&Options::num_instances, {1, kMostInstances}),
                  "N",
                  "Identical serving instances",
                  {}});
  rows.push_back({"--routing-policy",
                  kSimulate,
                  group,
                  one_of(&Options::router, router_choices()),
                  "NAME",
                  "Which instance gets a request (plimsoll list routers)",
                  {}});
  rows.push_back({"--routing-latency",
                  kSimulate,
                  group,
                  integer(&Options::routing_latency_us, {0, kLongestUs}),
                  "US",
                  "Microseconds a routing decision takes",
                  {}});
  rows.push_back({"--snapshot-refresh-interval",
                  kSimulate,
                  group,
                  integer(&Options::snapshot_refresh_interval_us, {0, kLongestUs}),
                  "US",
                  "Microseconds between what routers see of an instance; 0 = live",
                  {}});
  rows.push_back({"--admission-policy",
                  kSimulate,
                  group,
                  one_of(&Options::admission, admission_choices()),
                  "NAME",
                  "always-admit, token-bucket or reject-all",
                  {}});
  rows.push_back({"--admission-latency",
                  kSimulate,
                  group,
                  integer(&Options::admission_latency_us, {0, kLongestUs}),
                  "US",
                  "Microseconds an admission decision takes",
                  {}});
  rows.push_back({"--token-bucket-capacity",
                  kSimulate,
                  group,
                  number(&Options::token_bucket_capacity, kPositive),
                  "TOKENS",
                  "Prompt tokens the bucket holds",
                  {}});
  rows.push_back({"--token-bucket-refill-rate",
                  kSimulate,
                  group,
                  number(&Options::token_bucket_refill_rate, kPositive),
                  "TOKENS/S",
                  "Prompt tokens per second that refill it",
                  {}});
}

void add_engine_flags(std::vector<Flag>& rows) {
  const FlagGroup group = FlagGroup::engine;
  rows.push_back({"--max-num-seqs",
                  kSimulate,
                  group,
                  integer(&Options::max_num_seqs, {1, kMostTokens}),
                  "N",
                  "Most requests in a running batch",
                  {{"--max-num-running-reqs", true}}});
  rows.push_back({"--max-num-batched-tokens",
                  kSimulate,
                  group,
                  integer(&Options::max_num_batched_tokens, {1, kMostTokens}),
                  "N",
                  "Token budget of a step",
                  {{"--max-num-scheduled-tokens", true}}});
  rows.push_back({"--long-prefill-token-threshold",
                  kSimulate,
                  group,
                  integer(&Options::long_prefill_token_threshold, {0, kMostTokens}),
                  "N",
                  "Most prompt tokens of one request in a step; 0 = no extra limit",
                  {}});
  rows.push_back({"--max-model-len",
                  kSimulate,
                  group,
                  integer(&Options::max_model_len, {0, kMostTokens}),
                  "N",
                  "Longest prompt plus answer; 0 = from the model [0]",
                  {}});
  rows.push_back({"--scheduler",
                  kSimulate,
                  group,
                  one_of(&Options::scheduler, scheduler_choices()),
                  "NAME",
                  "Order of the wait queue (plimsoll list schedulers)",
                  {}});
  rows.push_back({"--preemption-policy",
                  kSimulate,
                  group,
                  one_of(&Options::preemption, preemption_choices()),
                  "NAME",
                  "Who gives way when KV blocks run out: fcfs or priority",
                  {}});
  rows.push_back({"--total-kv-blocks",
                  kSimulate,
                  group,
                  integer(&Options::total_kv_blocks, {1, kMostTokens}),
                  "N",
                  "KV blocks of an instance; default: what its GPU memory holds",
                  {}});
  rows.push_back({"--block-size-in-tokens",
                  kSimulate,
                  group,
                  integer(&Options::block_size, {1, 1'000'000}),
                  "N",
                  "Tokens per KV block",
                  {}});
  rows.push_back({"--gpu-memory-utilization",
                  kSimulate,
                  group,
                  number(&Options::gpu_memory_utilization, {0, 1, true}),
                  "SHARE",
                  "Share of GPU memory the engine may use",
                  {}});
  rows.push_back({"--no-prefix-caching",
                  kSimulate,
                  group,
                  on_off(&Options::no_prefix_caching),
                  "",
                  "Compute every prompt whole, whatever was computed before",
                  {}});
  rows.push_back({"--no-async-scheduling",
                  kSimulate,
                  group,
                  on_off(&Options::no_async_scheduling),
                  "",
                  "Decide a batch when its step starts (vLLM before 0.14), not one step ahead",
                  {}});
}

void add_control_flags(std::vector<Flag>& rows) {
  rows.push_back({"--semantics",
                  kSimulate,
                  FlagGroup::control,
                  one_of(&Options::semantics, semantics_choices()),
                  "NAME",
                  "vllm: the engine as it behaves; blis: the reference simulator, number by number",
                  {}});
  rows.push_back({"--seed",
                  kSimulate,
                  FlagGroup::control,
                  integer(&Options::seed, {0}),
                  "N",
                  "Seed of all random draws; equal seeds give equal bytes",
                  {}});
  rows.push_back(
      {"--horizon",
       kSimulate,
       FlagGroup::control,
       integer(&Options::horizon_us, {1}),
       "US",
       "Stop at this simulated microsecond [never; replay with --semantics blis: twice the "
       "last arrival]",
       {}});
  rows.push_back({"--log",
                  kSimulate,
                  FlagGroup::control,
                  one_of(&Options::log, log_choices()),
                  "LEVEL",
                  "error, warn (notes too) or info (and where the CPU time went), on stderr",
                  {}});
  rows.push_back({"--lazy-generation",
                  kSimulate,
                  FlagGroup::control,
                  on_off(&Options::lazy_generation),
                  "",
                  "Make requests as they are needed: always so here, accepted for compatibility",
                  {}});
  rows.push_back({"--json",
                  kAll,
                  FlagGroup::output,
                  on_off(&Options::json),
                  "",
                  "Print one JSON object and nothing else",
                  {}});
  rows.push_back({"--quiet",
                  kSimulate,
                  FlagGroup::output,
                  on_off(&Options::quiet),
                  "",
                  "Print the verdict alone",
                  {}});
  rows.push_back({"--results-path",
                  kSimulate,
                  FlagGroup::output,
                  text(&Options::results_path),
                  "FILE",
                  "Write one row per request to FILE.csv or FILE.json",
                  {}});
  rows.push_back({"--color",
                  kSimulate,
                  FlagGroup::output,
                  one_of(&Options::color, color_choices()),
                  "WHEN",
                  "auto, always or never",
                  {}});
}

}  // namespace

const std::vector<Flag>& flags() {
  static const std::vector<Flag> rows = [] {
    std::vector<Flag> all;
    add_model_flags(all);
    add_workload_flags(all);
    add_trace_flags(all);
    add_cluster_flags(all);
    add_engine_flags(all);
    add_control_flags(all);
    return all;
  }();
  return rows;
}

std::string_view name_of(Verb verb) {
  switch (verb) {
    case Verb::run:
      return "run";
    case Verb::replay:
      return "replay";
    case Verb::list:
      return "list";
  }
  return {};
}

std::string_view title(FlagGroup group) {
  switch (group) {
    case FlagGroup::model:
      return "Model and hardware";
    case FlagGroup::workload:
      return "Workload";
    case FlagGroup::trace:
      return "Trace";
    case FlagGroup::cluster:
      return "Cluster";
    case FlagGroup::engine:
      return "Engine (one instance)";
    case FlagGroup::control:
      return "Run control";
    case FlagGroup::output:
      return "Output";
  }
  return {};
}

}  // namespace plimsoll
