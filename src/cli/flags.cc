#include "cli/flags.h"

#include <algorithm>

#include "base/text.h"
#include "catalog/catalog.h"
#include "catalog/served_as.h"
#include "cli/flag_rows.h"
#include "cluster/router.h"
#include "cluster/scorer.h"
#include "engine/batching_rule.h"
#include "perf/engine_rules.h"
#include "perf/latency_models.h"
#include "perf/parallelism.h"

namespace plimsoll {
namespace {

// With the words that vLLM has for the same types.
Value kv_cache_type() {
  Value value = one_of(&Options::kv_cache_dtype, {"fp16", "bf16", "fp8"});
  value.choices.emplace_back("auto");
  value.set = [by_name = value.set](Options& options,
                                    std::string_view text) -> std::optional<Refusal> {
    if (text == "auto") {
      options.kv_cache_dtype.clear();
      return std::nullopt;
    }
    if (text == "float16") text = "fp16";
    if (text == "bfloat16") text = "bf16";
    if (text == "fp8_e4m3" || text == "fp8_e5m2") text = "fp8";
    return by_name(options, text);
  };
  return value;
}

void add_model_flags(std::vector<Flag>& all) {
  const Rows rows{all, FlagGroup::model};
  rows.add(
      "--model", text(&Options::model, model_names), "ID",
      "Hugging Face id; of a listed model (plimsoll list models) the part after the slash will do");
  rows.add("--model-config", text(&Options::model_config), "PATH",
           "config.json of a model that is not listed, or its folder", {{"--model-config-folder"}});
  rows.add("--quantization", one_of(&Options::quantization, quantization_names()), "FORMAT",
           "Weights narrower than the checkpoint's: fp8, fp8-block, nvfp4, mxfp4 or int4",
           {{"-q"}});
  rows.add("--kv-cache-dtype", kv_cache_type(), "TYPE",
           "Of the KV cache: fp16, bf16 or fp8; auto = as the checkpoint asks for [auto]");
  rows.add("--offline", on_off(&Options::offline), "",
           "Never download: models that are neither listed nor cached are an error");
  rows.add("--hardware", text(&Options::hardware, gpu_names), "GPU",
           "GPU type (plimsoll list gpus); default: the one listed for the model");
  rows.add("--hardware-config", text(&Options::hardware_config), "FILE",
           "JSON table of GPUs to use instead of the built-in one");
  rows.add("--tp", integer(&Options::tp, {1, 1024}), "N",
           "Tensor parallelism: GPUs per instance; default: as listed for the model",
           {{"--tensor-parallel-size"}, {"-tp"}});
  rows.add("--pp", integer(&Options::pp, {1, 64}), "N",
           "Pipeline parallelism: stages of layers, each on as many GPUs as --tp says",
           {{"--pipeline-parallel-size"}, {"-pp"}});
  rows.add("--dp", integer(&Options::dp, {1, 1024}), "N",
           "Data-parallel ranks of a mixture-of-experts model",
           {{"--data-parallel-size"}, {"-dp"}});
  rows.add("--enable-expert-parallel", on_off(&Options::expert_parallel), "",
           "Spread the experts over the GPUs instead of slicing them", {{"-ep"}});
  rows.add("--ignore-rules", some_of(&Options::ignored_rules, ignorable_rules()), "NAME,...",
           "Simulate what vLLM refuses to serve by these rules (plimsoll list rules)");
  rows.add("--moe-comm-backend", one_of(&Options::moe_comm_backend, names_of(moe_comm_backends())),
           "NAME",
           "How experts exchange tokens (plimsoll list moe-backends) [" +
               moe_comm_backends().front().name + "]");
  rows.add("--expert-imbalance", number(&Options::expert_imbalance, {1, 1024}), "X",
           "Load of the GPU with the busiest experts over the mean; with "
           "--enable-expert-parallel");
  rows.add("--num-speculative-tokens", integer(&Options::num_speculative_tokens, {0, 64}), "K",
           "Speculative decoding: tokens proposed per step; 0 = off");
  rows.add("--acceptance-rate", number(&Options::acceptance_rate, {0, 1}), "A",
           "Chance that a proposed token is accepted if those before it were");
  rows.add("--draft-model", text(&Options::draft_model, model_names), "ID",
           "Model that proposes the tokens; or give --draft-ms");
  rows.add("--draft-ms", number(&Options::draft_ms, {0, 1000}), "MS",
           "Milliseconds of a step for each proposed token; 0 = for n-grams looked up");
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
           "KV blocks of an instance; default: what its GPU memory holds",
           {{"--num-gpu-blocks-override"}});
  rows.add("--block-size-in-tokens", integer(&Options::block_size, {1, 1'000'000}), "N",
           "Tokens per KV block", {{"--block-size"}});
  rows.add("--gpu-memory-utilization", number(&Options::gpu_memory_utilization, {0, 1, true}),
           "SHARE", "Share of GPU memory the engine may use");
  rows.add("--no-prefix-caching", on_off(&Options::no_prefix_caching), "",
           "Compute every prompt whole, whatever was computed before",
           {{"--no-enable-prefix-caching"}, {.name = "--enable-prefix-caching", .opposite = true}});
  rows.add(
      "--no-chunked-prefill", on_off(&Options::no_chunked_prefill), "",
      "A prompt waits for a step with room for all of it; the token budget is at least "
      "--max-model-len",
      {{"--no-enable-chunked-prefill"}, {.name = "--enable-chunked-prefill", .opposite = true}});
  rows.add("--no-async-scheduling", on_off(&Options::no_async_scheduling), "",
           "Decide a batch when its step starts (vLLM before 0.14), not one step ahead",
           {{.name = "--async-scheduling", .opposite = true}});
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

}  // namespace

const std::vector<Flag>& flags() {
  static const std::vector<Flag> rows = [] {
    std::vector<Flag> all;
    add_capacity_flags(all);
    add_plan_flags(all);
    add_forecast_flags(all);
    add_compare_flags(all);
    add_price_flags(all);
    add_server_flags(all);
    add_model_flags(all);
    add_step_time_flags(all);
    add_calibration_flags(all);
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

bool Flag::is_opposite(std::string_view word) const {
  return std::ranges::any_of(
      aliases, [&](const Alias& alias) { return alias.opposite && alias.name == word; });
}

bool Flag::takes_path() const {
  return placeholder == "FILE" || placeholder == "PATH" || placeholder == "PREFIX";
}

bool decides_nothing(FlagGroup group) {
  return group == FlagGroup::json || group == FlagGroup::console || group == FlagGroup::page ||
         group == FlagGroup::output || group == FlagGroup::model_error;
}

std::string_view title(FlagGroup group) {
  switch (group) {
    case FlagGroup::slo:
    case FlagGroup::capacity:
    case FlagGroup::plan:
    case FlagGroup::forecast:
      return "What is asked";
    case FlagGroup::compared:
      return "What is compared";
    case FlagGroup::threads:
    case FlagGroup::prices:
    case FlagGroup::price_file:
      return "Runs and prices";
    case FlagGroup::server:
      return "Server";
    case FlagGroup::model:
    case FlagGroup::step_time:
    case FlagGroup::calibrated:
      return "Model and hardware";
    case FlagGroup::profile:
      return "Measured steps";
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
    case FlagGroup::page:
    case FlagGroup::model_error:
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
    case FlagGroup::calibration:
      return "Calibration";
  }
  return {};
}

}  // namespace plimsoll
